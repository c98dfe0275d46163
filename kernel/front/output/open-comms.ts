/** Open comms, tracked in the front so that it can answer `comm_info_request` while a cell computes. */

import type { CommMessageType, JsonObject } from '../../protocol/messages.ts';

export class OpenComms {
  readonly #targets = new Map<string, string>();

  get count(): number {
    return this.#targets.size;
  }

  /** Records a comm message of either direction. */
  note(type: CommMessageType, content: JsonObject): void {
    const id = String(content['comm_id']);
    if (type === 'comm_open') this.#targets.set(id, String(content['target_name']));
    else if (type === 'comm_close') this.#targets.delete(id);
  }

  /** Returns the `comms` of a `comm_info_reply`, of one target or of all. */
  info(target: unknown): Record<string, { readonly target_name: string }> {
    const comms: Record<string, { readonly target_name: string }> = {};
    for (const [id, name] of this.#targets) {
      if (typeof target !== 'string' || target === name) comms[id] = { target_name: name };
    }
    return comms;
  }

  clear(): string[] {
    const ids = [...this.#targets.keys()];
    this.#targets.clear();
    return ids;
  }
}
