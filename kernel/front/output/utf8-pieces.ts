/** Decodes UTF-8 of several origins that comes in pieces, which may end within a character. */

const CONTINUATION = 0x80;
const CONTINUATION_MASK = 0xc0;
/** Bytes of the longest character. */
const LONGEST = 4;

export class Utf8Pieces {
  /** What is left of each origin, until the rest of the character comes. */
  readonly #rests = new Map<string, Buffer>();

  decode(origin: string, piece: Uint8Array): string {
    const rest = this.#rests.get(origin);
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const whole = rest === undefined ? bytes : Buffer.concat([rest, bytes]);
    const end = whole.length - unfinished(whole);
    if (end < whole.length) this.#rests.set(origin, Buffer.from(whole.subarray(end)));
    else if (rest !== undefined) this.#rests.delete(origin);
    return whole.toString('utf8', 0, end);
  }
}

/** Bytes at the end that begin a character and do not end it. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(LONGEST - 1, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & CONTINUATION_MASK) === CONTINUATION) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
