/**
 * The iopub socket, which waits for slow subscribers instead of dropping messages. A subscriber that takes nothing for
 * a long time loses messages, as it would with other kernels, so that the others continue.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { XPublisher } from 'zeromq';

const RETRY_MS = 1;
const STALLED_MS = 10_000;

export class PatientPublisher {
  readonly #socket: XPublisher;

  constructor(socket: XPublisher) {
    this.#socket = socket;
    socket.noDrop = true;
  }

  async send(frames: Uint8Array[]): Promise<void> {
    const deadline = performance.now() + STALLED_MS;
    for (;;) {
      try {
        return await this.#socket.send(frames);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
        if (performance.now() > deadline) this.dropForTheSlow();
        else await sleep(RETRY_MS);
      }
    }
  }

  /** Stops waiting for slow subscribers. */
  dropForTheSlow(): void {
    this.#socket.noDrop = false;
  }
}
