/**
 * Tells requests that were sent before their client could know of a failure, also when they arrive after it: a notebook that
 * runs all its cells sends them together, and a fast cell fails while the others are still on their way.
 */

import type { ExecutionJob } from './execution-queue.ts';

/** Clients write their time with this resolution. */
const RESOLUTION_MS = 1;

export class FailureNotice {
  readonly #session: string;
  /** By the clock of the client, so that it need not agree with ours. */
  readonly #sent: number;
  readonly #known: number;

  /** Made when the failed job is replied to. */
  constructor({ message, receivedAt }: ExecutionJob, now = performance.now()) {
    this.#session = message.header.session;
    this.#sent = Date.parse(message.header.date);
    this.#known = this.#sent + (now - receivedAt) - RESOLUTION_MS;
  }

  concerns({ message }: ExecutionJob): boolean {
    const sent = Date.parse(message.header.date);
    return message.header.session === this.#session && sent >= this.#sent && sent <= this.#known;
  }
}
