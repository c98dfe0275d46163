/** Encodes values as bytes. The other half is python/stridelab/worker/wire.py, with equal tags. */

import { ArgumentError } from '../../base/errors.ts';

export const Tag = {
  none: 0,
  false: 1,
  true: 2,
  small: 3,
  float: 4,
  whole: 5,
  big: 6,
  text: 7,
  wideText: 8,
  bytes: 9,
  handle: 10,
  function: 11,
  list: 12,
  dict: 13,
  set: 14,
  array: 15
} as const;

const FIRST_ROOM = 1 << 12;
/** Capacity above which the buffer is freed after its message. */
const KEPT_ROOM = 1 << 20;

/** Writes messages into one buffer, one after the other. */
export class WireWriter {
  #buffer = Buffer.allocUnsafeSlow(FIRST_ROOM);
  #at = 0;

  /** The current message, valid until the next one begins. */
  get message(): Uint8Array {
    return this.#buffer.subarray(0, this.#at);
  }

  begin(kind: number, number: number, released: readonly number[]): void {
    this.#at = 0;
    if (this.#buffer.length > KEPT_ROOM) this.#buffer = Buffer.allocUnsafeSlow(FIRST_ROOM);
    this.#reserve(9 + 4 * released.length);
    this.#buffer[0] = kind;
    this.#buffer.writeUInt32LE(number, 1);
    this.#buffer.writeUInt32LE(released.length, 5);
    this.#at = 9;
    for (const each of released) this.#at = this.#buffer.writeUInt32LE(each, this.#at);
  }

  number(value: number): void {
    this.#reserve(9);
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
      if (value === (value | 0)) {
        this.#buffer[this.#at] = Tag.small;
        this.#at = this.#buffer.writeInt32LE(value, this.#at + 1);
        return;
      }
      this.#buffer[this.#at] = Tag.whole;
    } else {
      this.#buffer[this.#at] = Tag.float;
    }
    this.#at = this.#buffer.writeDoubleLE(value, this.#at + 1);
  }

  text(value: string): void {
    if (value.isWellFormed()) {
      // A UTF-16 code unit takes at most three bytes.
      this.#reserve(9 + 3 * value.length);
      const bytes = this.#buffer.write(value, this.#at + 9, 'utf8');
      this.#head(Tag.text, bytes);
      this.#at += 9 + bytes;
      return;
    }
    this.bytes(Buffer.from(value, 'utf16le'), Tag.wideText);
  }

  bytes(value: Uint8Array, tag: number = Tag.bytes): void {
    this.#reserve(9 + value.byteLength);
    this.#head(tag, value.byteLength);
    this.#buffer.set(value, this.#at + 9);
    this.#at += 9 + value.byteLength;
  }

  handle(number: number): void {
    this.#reserve(5);
    this.#buffer[this.#at] = Tag.handle;
    this.#at = this.#buffer.writeUInt32LE(number, this.#at + 1);
  }

  /** Writes a scalar or text. @throws ArgumentError for a value without a counterpart */
  scalar(value: unknown): void {
    switch (typeof value) {
      case 'number':
        return this.number(value);
      case 'string':
        return this.text(value);
      case 'boolean':
        return this.#tag(value ? Tag.true : Tag.false);
      case 'bigint':
        return this.bytes(Buffer.from(value.toString(16), 'latin1'), Tag.big);
      default:
        if (value !== null && value !== undefined)
          throw new ArgumentError('this value has no counterpart in Python');
        return this.#tag(Tag.none);
    }
  }

  #tag(tag: number): void {
    this.#reserve(1);
    this.#buffer[this.#at++] = tag;
  }

  #head(tag: number, bytes: number): void {
    this.#buffer[this.#at] = tag;
    this.#buffer.writeUInt32LE(bytes % 2 ** 32, this.#at + 1);
    this.#buffer.writeUInt32LE(Math.floor(bytes / 2 ** 32), this.#at + 5);
  }

  #reserve(bytes: number): void {
    const needed = this.#at + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}

/** Returns the object of a number: by `tag`, a Python object (`handle`), or a function or an array of JavaScript that Python held. */
export type FindObject<Value> = (tag: number, number: number) => Value;

type Plain = undefined | boolean | number | bigint | string | Uint8Array<ArrayBuffer>;

/** Reads one message from its beginning to its end. */
export class WireReader<Value> {
  readonly #bytes: Buffer;
  readonly #find: FindObject<Value>;
  #at = 0;

  constructor(bytes: Uint8Array, find: FindObject<Value>) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#find = find;
  }

  get done(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }

  id(): number {
    const id = this.#bytes.readUInt32LE(this.#at);
    this.#at += 4;
    return id;
  }

  /** Reads the next value. Containers occur only in copies. */
  value(): Plain | Value {
    const tag = this.byte();
    switch (tag) {
      case Tag.none:
        return undefined;
      case Tag.false:
        return false;
      case Tag.true:
        return true;
      case Tag.float: {
        const number = this.#bytes.readDoubleLE(this.#at);
        this.#at += 8;
        return number;
      }
      case Tag.handle:
      case Tag.function:
      case Tag.array:
        return this.#find(tag, this.id());
      case Tag.list:
        return this.#items() as Value;
      case Tag.set:
        return new Set(this.#items()) as Value;
      case Tag.dict:
        return this.#dict() as Value;
      default:
        return this.#sized(tag);
    }
  }

  #sized(tag: number): Plain {
    const begin = this.#at + 8;
    const end = begin + this.#count();
    this.#at = end;
    switch (tag) {
      case Tag.text:
        return this.#bytes.toString('utf8', begin, end);
      case Tag.wideText:
        return this.#bytes.toString('utf16le', begin, end);
      case Tag.big: {
        const digits = this.#bytes.toString('latin1', begin, end);
        return digits.startsWith('-') ? -BigInt(`0x${digits.slice(1)}`) : BigInt(`0x${digits}`);
      }
      default:
        return new Uint8Array(this.#bytes.subarray(begin, end));
    }
  }

  #count(): number {
    const low = this.#bytes.readUInt32LE(this.#at);
    const count = low + 2 ** 32 * this.#bytes.readUInt32LE(this.#at + 4);
    this.#at += 8;
    return count;
  }

  /** Reads items; None inside a container is null. */
  #items(): unknown[] {
    const count = this.#count();
    const items: unknown[] = [];
    for (let index = 0; index < count; index++) items.push(this.value() ?? null);
    return items;
  }

  #dict(): Record<string, unknown> | Map<unknown, unknown> {
    const count = this.#count();
    const entries: [unknown, unknown][] = [];
    for (let index = 0; index < count; index++) entries.push([this.value() ?? null, this.value() ?? null]);
    return entries.every(([key]) => typeof key === 'string')
      ? (Object.fromEntries(entries) as Record<string, unknown>)
      : new Map(entries);
  }
}
