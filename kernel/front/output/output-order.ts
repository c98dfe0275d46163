/** Orders output from three sources: the executor's frames, and the pipes of stdout and stderr, in which marks identify the next frame. */

import { StringDecoder } from 'node:string_decoder';
import type { StreamName } from '../../protocol/messages.ts';
import { MarkReader } from '../../protocol/output-marks.ts';

/** Timeout after which a mark counts as lost, for example because the descriptor was closed or redirected. */
const LOST_MS = 50;

interface Frame {
  readonly mark: number | undefined;
  readonly deliver: () => void;
}

export class OutputOrder {
  readonly #pipes: readonly MarkedPipe[];
  readonly #frames: Frame[] = [];
  /** Number of the mark of the latest delivered frame. */
  #delivered = 0;
  #timer: NodeJS.Timeout | undefined;
  #advancing = false;

  /** Constructs the order. `prefix` is the prefix of the marks. */
  constructor(prefix: Buffer, text: (name: StreamName, text: string) => void) {
    const pipe = (name: StreamName): MarkedPipe => new MarkedPipe(prefix, printed => text(name, printed));
    this.#pipes = [pipe('stdout'), pipe('stderr')];
  }

  native(name: StreamName, piece: Buffer): void {
    this.#pipes[name === 'stdout' ? 0 : 1]!.push(piece);
    this.#advance();
  }

  /** Adds a frame: `deliver` is called after the output before its mark, and after earlier frames. */
  frame(mark: number | undefined, deliver: () => void): void {
    if (this.#frames.length === 0 && mark === undefined) return deliver();
    this.#frames.push({ mark, deliver });
    this.#advance();
  }

  /** Delivers all remaining output: no more will come. */
  end(): void {
    for (const pipe of this.#pipes) pipe.lost = true;
    this.#advance();
    for (const pipe of this.#pipes) pipe.end();
  }

  #advance(): void {
    // Delivering output may produce more of it.
    if (this.#advancing) return;
    this.#advancing = true;
    do {
      for (const pipe of this.#pipes) pipe.deliver(this.#delivered);
    } while (this.#deliverFrame());
    this.#advancing = false;
    clearTimeout(this.#timer);
    this.#timer = this.#frames.length > 0 ? setTimeout(() => this.#giveUp(), LOST_MS).unref() : undefined;
  }

  #deliverFrame(): boolean {
    const [frame] = this.#frames;
    if (frame === undefined) return false;
    const { mark } = frame;
    if (mark !== undefined && !this.#pipes.every(pipe => pipe.lost || pipe.reached(mark))) return false;
    this.#frames.shift();
    this.#delivered = mark ?? this.#delivered;
    frame.deliver();
    return true;
  }

  #giveUp(): void {
    const mark = this.#frames[0]?.mark ?? 0;
    for (const pipe of this.#pipes) pipe.lost ||= !pipe.reached(mark);
    this.#advance();
  }
}

class MarkedPipe {
  /** Whether frames no longer wait for this pipe's marks; false again as soon as a mark arrives. */
  lost = false;
  readonly #marks: MarkReader;
  readonly #decoder = new StringDecoder('utf8');
  readonly #print: (text: string) => void;
  #waiting: (Buffer | number)[] = [];

  constructor(prefix: Buffer, print: (text: string) => void) {
    this.#marks = new MarkReader(prefix);
    this.#print = print;
  }

  push(piece: Buffer): void {
    for (const found of this.#marks.push(piece)) {
      if (typeof found === 'number') this.lost = false;
      this.#waiting.push(found);
    }
  }

  /** Returns whether the mark is next. */
  reached(mark: number): boolean {
    const [next] = this.#waiting;
    return typeof next === 'number' && next >= mark;
  }

  /** Prints up to the mark of the first frame that was not delivered. */
  deliver(delivered: number): void {
    let count = 0;
    for (const found of this.#waiting) {
      if (typeof found !== 'number') this.#print(this.#decoder.write(found));
      else if (found > delivered && !this.lost) break;
      count += 1;
    }
    if (count > 0) this.#waiting.splice(0, count);
  }

  end(): void {
    this.deliver(Infinity);
    this.#print(this.#decoder.write(this.#marks.rest()) + this.#decoder.end());
  }
}
