/** Marks in the pipes of stdout and stderr, written before each frame of text. They are APC sequences, which terminals ignore. */

const DIGITS = 8;
const END = '\x1b\\';
const NUMBERS = 16 ** DIGITS;

/** Returns the prefix of the marks of a process. `process` is the executor's pid. */
export function markPrefix(process: number): Buffer {
  return Buffer.from(`\x1b_stridelab ${process} `);
}

export function encodeMark(prefix: Buffer, mark: number): Buffer {
  const number = (mark % NUMBERS).toString(16).padStart(DIGITS, '0');
  return Buffer.concat([prefix, Buffer.from(number + END)]);
}

export type MarkedPiece = Buffer | number;

export class MarkReader {
  readonly #prefix: Buffer;
  readonly #length: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(prefix: Buffer) {
    this.#prefix = prefix;
    this.#length = encodeMark(prefix, 0).length;
  }

  /** Returns output and marks in order. An incomplete mark is kept for the next piece. */
  push(piece: Buffer): MarkedPiece[] {
    const data = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const found: MarkedPiece[] = [];
    let start = 0;
    for (;;) {
      const at = data.indexOf(this.#prefix, start);
      if (at < 0 || at + this.#length > data.length) break;
      if (at > start) found.push(data.subarray(start, at));
      const digits = at + this.#prefix.length;
      found.push(Number.parseInt(data.toString('latin1', digits, digits + DIGITS), 16));
      start = at + this.#length;
    }
    const end = data.length - this.#unfinished(data, start);
    if (end > start) found.push(data.subarray(start, end));
    this.#rest = data.subarray(end);
    return found;
  }

  /** Returns the incomplete mark that was kept, if any, as output. */
  rest(): Buffer {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return rest;
  }

  /** Returns the number of bytes at the end that may be the beginning of a mark. */
  #unfinished(data: Buffer, start: number): number {
    for (let at = Math.max(start, data.length - this.#length + 1); at < data.length; at += 1) {
      const shared = Math.min(this.#prefix.length, data.length - at);
      if (data.compare(this.#prefix, 0, shared, at, at + shared) === 0) return data.length - at;
    }
    return 0;
  }
}
