/** Printed text in shared memory, as a frame. The main thread sends it; while the main thread is busy, the interrupt thread does. */

import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { FRONT_OUTPUT_FD } from '../../protocol/executor-messages.ts';

const CAPACITY = 65_536;
/** Size of the header in bytes: length of the JSON, number of buffers, length of the text. */
const HEAD = 12;
/** Frames that may be sent immediately in one period of the thread: about 1 % of its time. */
const PROMPT_FRAMES = 50;
/** Maximum time that text is buffered. */
const PERIOD_MS = 20;

/** Indices in `words`. */
const LOCK = 0;
const SIZE = 1;
const WRITTEN = 2;
const HELD = 3;
const PROMPT = 4;
const WORDS = 5;

export interface SharedFrame {
  readonly words: Int32Array;
  readonly bytes: Uint8Array;
}

type LockHolder = 1 | 2;
export const MAIN_THREAD = 1;
const INTERRUPT_THREAD = 2;

export class StreamFrame {
  readonly shared: SharedFrame;
  readonly #words: Int32Array;
  readonly #bytes: Buffer;
  readonly #holder: LockHolder;

  constructor(holder: LockHolder, shared?: SharedFrame) {
    this.#holder = holder;
    this.shared = shared ?? {
      words: new Int32Array(new SharedArrayBuffer(4 * WORDS)),
      bytes: new Uint8Array(new SharedArrayBuffer(CAPACITY))
    };
    this.#words = this.shared.words;
    this.#bytes = Buffer.from(this.shared.bytes.buffer);
    if (shared === undefined) this.replenish();
  }

  /** Runs `work` while the other thread neither reads nor sends the frame. */
  exclusively(work: () => void): void {
    while (Atomics.compareExchange(this.#words, LOCK, 0, this.#holder) !== 0)
      Atomics.wait(this.#words, LOCK, 3 - this.#holder, 1);
    try {
      work();
    } finally {
      this.#release();
    }
  }

  /** Restores the main thread's allowance, and sends its text unless that thread holds the lock. */
  relieve(): void {
    this.replenish();
    if (Atomics.compareExchange(this.#words, LOCK, 0, this.#holder) !== 0) return;
    try {
      this.#sendSome();
    } finally {
      this.#release();
    }
  }

  replenish(): void {
    Atomics.store(this.#words, PROMPT, PROMPT_FRAMES);
  }

  async held(): Promise<void> {
    const waiting = Atomics.waitAsync(this.#words, HELD, 0);
    if (waiting.async) await waiting.value;
  }

  /** Starts a frame with this JSON. The previous frame must have been sent. */
  begin(json: Buffer): void {
    this.#bytes.writeUInt32LE(json.length, 0);
    this.#bytes.writeUInt32LE(1, 4);
    json.copy(this.#bytes, HEAD);
    this.#words[SIZE] = HEAD + json.length;
    this.#words[WRITTEN] = 0;
  }

  get empty(): boolean {
    return this.#words[SIZE] === 0;
  }

  /** Whether part of the frame was already sent, so that nothing can be added. */
  get leaving(): boolean {
    return this.#words[WRITTEN]! > 0;
  }

  /** Adds text; returns false if there is no room. */
  add(text: string | Uint8Array): boolean {
    const size = this.#words[SIZE]!;
    const room = CAPACITY - size;
    if (typeof text === 'string') {
      if (3 * text.length > room) return false;
      this.#words[SIZE] = size + this.#bytes.write(text, size);
    } else {
      if (text.length > room) return false;
      this.#bytes.set(text, size);
      this.#words[SIZE] = size + text.length;
    }
    return true;
  }

  /** Sends the frame immediately if few were sent recently, and buffers it otherwise. */
  sendSoon(): void {
    if (this.#words[PROMPT]! > 0) {
      this.#words[PROMPT]! -= 1;
      this.send();
    } else if (this.#words[HELD] === 0) {
      Atomics.store(this.#words, HELD, 1);
      Atomics.notify(this.#words, HELD);
    }
  }

  /** Sends the entire frame, blocking as long as needed. */
  send(): void {
    while (!this.#sendSome()) Atomics.wait(this.#words, LOCK, this.#holder, 1);
  }

  /** Sends as much as the pipe takes; returns true when all is sent. */
  #sendSome(): boolean {
    const size = this.#words[SIZE]!;
    if (size === 0) return true;
    let written = this.#words[WRITTEN]!;
    if (written === 0) this.#bytes.writeUInt32LE(size - HEAD - this.#bytes.readUInt32LE(0), 8);
    while (written < size) {
      const count = writeSome(this.#bytes, written, size);
      if (count === 0) return false;
      written += count;
      this.#words[WRITTEN] = written;
    }
    this.#words[SIZE] = 0;
    this.#words[WRITTEN] = 0;
    this.#words[HELD] = 0;
    return true;
  }

  #release(): void {
    Atomics.store(this.#words, LOCK, 0);
    if (this.#holder === INTERRUPT_THREAD) Atomics.notify(this.#words, LOCK);
  }
}

/** Returns the number of bytes that the pipe to the front took; 0 if it is full. */
export function writeSome(bytes: Buffer, start: number, end: number): number {
  try {
    return writeSync(FRONT_OUTPUT_FD, bytes, start, end - start);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The front has exited; nothing else reads the pipe.
    if (code === 'EPIPE') return end - start;
    if (code !== 'EAGAIN') throw error;
    return 0;
  }
}

/** Sends the text that a busy cell has buffered; called on the interrupt thread. */
export async function sendTextInTime(shared: SharedFrame): Promise<never> {
  const text = new StreamFrame(INTERRUPT_THREAD, shared);
  for (;;) {
    await text.held();
    await sleep(PERIOD_MS);
    text.relieve();
  }
}
