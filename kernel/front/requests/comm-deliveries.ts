/** Comm messages of pages that the executor has yet to handle. While there are many, no further request is read. */

import type { JupyterMessage } from '../../protocol/messages.ts';

/** Messages, and bytes not yet taken by the executor, above which reading pauses; at half of that it resumes. */
export const MAX_WAITING = 10_000;
const MAX_BYTES = 16_777_216;

export class CommDeliveries {
  readonly #unsent: () => number;
  readonly #waiting = new Map<string, JupyterMessage>();
  #pause: PromiseWithResolvers<void> | undefined;

  /** Constructs it. `unsent` returns the number of bytes that the executor has not taken. */
  constructor(unsent: () => number) {
    this.#unsent = unsent;
  }

  /** Adds a message that was sent to the executor. */
  add(message: JupyterMessage): void {
    this.#waiting.set(message.header.msg_id, { ...message, content: {}, metadata: {}, buffers: [] });
    if (this.#exceeds(1)) this.#pause ??= Promise.withResolvers();
  }

  /** Removes a message that was handled, and returns it; undefined if it was not waiting. */
  handled(id: string): JupyterMessage | undefined {
    const message = this.#waiting.get(id);
    this.#waiting.delete(id);
    // A single message may be larger than the limit.
    if (this.#waiting.size === 0 || !this.#exceeds(0.5)) {
      this.#pause?.resolve();
      this.#pause = undefined;
    }
    return message;
  }

  ids(): string[] {
    return [...this.#waiting.keys()];
  }

  /** Resolves once further requests may be read; undefined if they may be now. */
  get paused(): Promise<void> | undefined {
    return this.#pause?.promise;
  }

  #exceeds(part: number): boolean {
    return this.#waiting.size > MAX_WAITING * part || this.#unsent() > MAX_BYTES * part;
  }
}
