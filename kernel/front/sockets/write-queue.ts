/** Queues messages for a ZeroMQ socket, which allows one asynchronous send at a time. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { XPublisher } from 'zeromq';

const RETRY_MS = 1;
const STALLED_MS = 10_000;
/** Memory of a frame beside its bytes: in small messages it is the larger part. */
const FRAME_BYTES = 200;

interface Sender {
  send(frames: Uint8Array[]): Promise<void>;
}

interface Waiting {
  readonly frames: Uint8Array[];
  readonly failed: (error: Error) => void;
}

export class WriteQueue {
  readonly #socket: Sender;
  readonly #backlogged: (bytes: number) => void;
  #bytes = 0;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;

  /** Constructs the queue. `backlogged` is called with the memory of the queued messages, in bytes, whenever it changes. */
  constructor(socket: Sender, backlogged: (bytes: number) => void = () => undefined) {
    this.#socket = socket;
    this.#backlogged = backlogged;
  }

  /** Queues a message. `failed` is called if the receiver disconnected or the socket was closed. */
  push(frames: Uint8Array[], failed: (error: Error) => void = tell): void {
    this.#waiting.push({ frames, failed });
    this.#count(sizeOf(frames));
    this.#draining ??= this.#drain();
  }

  /** Resolves once all messages queued so far were handed to the socket. */
  async drained(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    // Handing a message over takes longer than making it: the code that queues it may first send a cell to its process.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      for (const { frames, failed } of batch) {
        try {
          await this.#socket.send(frames);
        } catch (error) {
          failed(error as Error);
        }
        this.#count(-sizeOf(frames));
      }
    }
    this.#draining = undefined;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#backlogged(this.#bytes);
  }
}

function sizeOf(frames: readonly Uint8Array[]): number {
  return frames.reduce((size, { byteLength }) => size + byteLength + FRAME_BYTES, 0);
}

function tell(error: Error): void {
  process.stderr.write(`Cannot send a message: ${error.message}\n`);
}

/** Sends frames, and waits for slow subscribers; one that takes nothing for a long time then loses messages, so that others continue. */
export async function sendPatiently(socket: XPublisher, frames: Uint8Array[]): Promise<void> {
  const deadline = performance.now() + STALLED_MS;
  for (;;) {
    try {
      return await socket.send(frames);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      if (performance.now() > deadline) socket.noDrop = false;
      else await sleep(RETRY_MS);
    }
  }
}
