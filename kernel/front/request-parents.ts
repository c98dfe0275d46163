import type { MessageHeader } from '../protocol/messages.ts';

/** A request that output may still name as its parent, also after it was answered. */
export interface RequestParent {
  readonly header: MessageHeader;
  /** Asked for quiet: what it shows is dropped. */
  readonly silent: boolean;
}

/** Requests kept; output of older ones goes to the latest. */
const MAX_PARENTS = 10_000;

export class RequestParents {
  readonly #parents = new Map<string, RequestParent>();

  add(header: MessageHeader, silent = false): void {
    this.#parents.set(header.msg_id, { header, silent });
    if (this.#parents.size <= MAX_PARENTS) return;
    for (const oldest of this.#parents.keys()) {
      this.#parents.delete(oldest);
      break;
    }
  }

  get(id: string): RequestParent | undefined {
    return this.#parents.get(id);
  }
}
