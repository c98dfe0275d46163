/** The frames between the processes: 32-bit little-endian lengths (JSON, number of buffers, each buffer), the JSON, the buffers. */

export interface Frame<Message> {
  readonly message: Message;
  readonly buffers: readonly Uint8Array[];
}

const WORD = 4;

export function encodeFrame(message: object, buffers: readonly Uint8Array[] = []): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.allocUnsafe(WORD * (2 + buffers.length));
  head.writeUInt32LE(json.length, 0);
  head.writeUInt32LE(buffers.length, WORD);
  buffers.forEach((buffer, index) => head.writeUInt32LE(buffer.byteLength, WORD * (2 + index)));
  return Buffer.concat([head, json, ...buffers]);
}

/** Reassembles frames from the pieces in which a pipe delivers them. */
export class FrameDecoder<Message> {
  #pieces: Buffer[] = [];
  #available = 0;
  /** Bytes needed before decoding can continue. */
  #needed = 2 * WORD;

  push(piece: Buffer): Frame<Message>[] {
    this.#pieces.push(piece);
    this.#available += piece.length;
    if (this.#available < this.#needed) return [];
    let data = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces);
    const frames: Frame<Message>[] = [];
    for (;;) {
      const size = frameSize(data);
      if (data.length < size) {
        this.#needed = size;
        break;
      }
      frames.push(decodeFrame<Message>(data));
      data = data.subarray(size);
    }
    this.#pieces = data.length > 0 ? [data] : [];
    this.#available = data.length;
    return frames;
  }
}

/** Returns the size of the frame at the start of `data`, or the number of bytes needed to compute it. */
function frameSize(data: Buffer): number {
  if (data.length < 2 * WORD) return 2 * WORD;
  const count = data.readUInt32LE(WORD);
  let size = WORD * (2 + count);
  if (data.length < size) return size;
  for (let index = 0; index < count; index += 1) size += data.readUInt32LE(WORD * (2 + index));
  return size + data.readUInt32LE(0);
}

function decodeFrame<Message>(data: Buffer): Frame<Message> {
  const jsonLength = data.readUInt32LE(0);
  const count = data.readUInt32LE(WORD);
  let position = WORD * (2 + count);
  const json = data.toString('utf8', position, position + jsonLength);
  position += jsonLength;
  const buffers: Uint8Array[] = [];
  for (let index = 0; index < count; index += 1) {
    const length = data.readUInt32LE(WORD * (2 + index));
    // Copied, so that a small buffer does not keep a large read alive and typed arrays can view it.
    buffers.push(new Uint8Array(data.subarray(position, position + length)));
    position += length;
  }
  return { message: JSON.parse(json) as Message, buffers };
}
