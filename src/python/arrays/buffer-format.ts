/** Parses element formats of the buffer protocol to typestr and descr. */

import { BufferError } from '../../base/errors.ts';

export interface BufferElement {
  readonly typestr: string;
  /** The fields of a structured element; null for any other. */
  readonly descr: readonly unknown[] | null;
  readonly bytes: number;
}

interface Part extends BufferElement {
  /** The alignment in native mode, where fields are aligned as by a C compiler. */
  readonly alignment: number;
}

/** Kind and size of each code: in native mode, and in the standard modes. Of codes with equal meaning, the last one is written. */
export const CODES: Readonly<Record<string, readonly [kind: string, native: number, standard: number]>> = {
  '?': ['b', 1, 1],
  b: ['i', 1, 1],
  B: ['u', 1, 1],
  h: ['i', 2, 2],
  H: ['u', 2, 2],
  i: ['i', 4, 4],
  I: ['u', 4, 4],
  l: ['i', 8, 4],
  L: ['u', 8, 4],
  n: ['i', 8, 8],
  N: ['u', 8, 8],
  q: ['i', 8, 8],
  Q: ['u', 8, 8],
  e: ['f', 2, 2],
  f: ['f', 4, 4],
  d: ['f', 8, 8],
  Zf: ['c', 8, 8],
  Zd: ['c', 16, 16]
};

/** Kind and unit size of codes whose count gives the size of one element. */
const SIZED: Readonly<Record<string, readonly [kind: string, unit: number]>> = {
  x: ['V', 1],
  s: ['S', 1],
  w: ['U', 4]
};

class FormatReader {
  readonly #format: string;
  #at = 0;
  /** `@` has native sizes and alignment, `^` only native sizes. */
  #mode = '@';

  readonly #aligned: boolean;

  /** `aligned`: every field is aligned, in any mode. */
  constructor(format: string, aligned: boolean) {
    this.#format = format;
    this.#aligned = aligned;
  }

  refuse(reason: string): never {
    throw new BufferError(`the buffer's format '${this.#format}': ${reason}`);
  }

  get done(): boolean {
    return this.#at >= this.#format.length;
  }

  /** Parses fields up to `end`, or to the end of the format. */
  fields(end: string): {
    readonly entries: unknown[];
    readonly parts: Part[];
    readonly bytes: number;
    readonly alignment: number;
  } {
    const entries: unknown[] = [];
    const parts: Part[] = [];
    let offset = 0;
    let alignment = 1;
    while (!this.done && this.#format[this.#at] !== end) {
      const { part, repeat, shape, opaque } = this.#field();
      const name = this.#match(/:[^:]*:/y)?.slice(1, -1) ?? '';
      // Padding bytes with a name are a field.
      const padding = opaque && name === '';
      if ((this.#aligned || this.#mode === '@') && !padding) {
        const gap = -offset & (part.alignment - 1);
        if (gap > 0) entries.push(['', `|V${gap}`]);
        offset += gap;
        alignment = Math.max(alignment, part.alignment);
      }
      const type = part.descr ?? part.typestr;
      const dimensions = repeat > 1 ? [...shape, repeat] : shape;
      // An unnamed field is named by its number, as in NumPy.
      const called = padding ? '' : name === '' ? `f${parts.length}` : name;
      entries.push(dimensions.length === 0 ? [called, type] : [called, type, dimensions]);
      if (!padding) parts.push(part);
      offset += part.bytes * dimensions.reduce((product, length) => product * length, 1);
    }
    return { entries, parts, bytes: offset, alignment };
  }

  #next(): string {
    return this.#format[this.#at++] ?? this.refuse('it ends too early');
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#format)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #field(): { part: Part; repeat: number; shape: number[]; opaque: boolean } {
    this.#match(/\s+/y);
    this.#readMode();
    const shape = this.#match(/\([^)]*\)/y);
    const dimensions = shape === null ? [] : shape.slice(1, -1).split(',').map(Number);
    if (!dimensions.every(length => Number.isSafeInteger(length) && length >= 0))
      this.refuse('a shape is not a list of non-negative integers');
    this.#readMode();
    const digits = this.#match(/\d+/y);
    const count = digits === null ? 1 : Number(digits);
    this.#readMode();
    const code = this.#next();
    const sized = SIZED[code];
    if (sized === undefined)
      return { part: this.#element(code), repeat: count, shape: dimensions, opaque: false };
    const [kind, unit] = sized;
    const typestr = `${unit === 1 ? '|' : this.#order()}${kind}${count}`;
    const part = { typestr, descr: null, bytes: unit * count, alignment: unit };
    return { part, repeat: 1, shape: dimensions, opaque: code === 'x' };
  }

  #readMode(): void {
    const found = this.#match(/[@=<>!^]/y);
    if (found !== null) this.#mode = found;
  }

  #order(): '<' | '>' {
    return this.#mode === '>' || this.#mode === '!' ? '>' : '<';
  }

  #element(code: string): Part {
    if (code === 'c') return { typestr: '|S1', descr: null, bytes: 1, alignment: 1 };
    if (code === 'T') return this.#record();
    const of = code === 'Z' ? this.#next() : '';
    const what = of === '' ? `elements of '${code}'` : `complex numbers of '${of}'`;
    const found = CODES[code + of] ?? this.refuse(`${what} have no dtype`);
    const [kind, nativeBytes, standardBytes] = found;
    const bytes = this.#mode === '@' || this.#mode === '^' ? nativeBytes : standardBytes;
    const order = bytes === 1 ? '|' : this.#order();
    return {
      typestr: `${order}${kind}${bytes}`,
      descr: null,
      bytes,
      alignment: kind === 'c' ? bytes / 2 : bytes
    };
  }

  #record(): Part {
    if (this.#next() !== '{') this.refuse("expected '{' after 'T'");
    const { entries, bytes: written, alignment } = this.fields('}');
    if (this.#next() !== '}') this.refuse("expected '}' after the fields of 'T{'");
    // An aligned struct is padded to its alignment, where the next element begins.
    const gap = this.#aligned ? -written & (alignment - 1) : 0;
    if (gap > 0) entries.push(['', `|V${gap}`]);
    const bytes = written + gap;
    return { typestr: `|V${bytes}`, descr: entries, bytes, alignment };
  }
}

function parse(format: string, aligned: boolean): BufferElement {
  const { entries, parts, bytes } = new FormatReader(format, aligned).fields('');
  const [only] = parts;
  const entry = entries[0] as readonly unknown[] | undefined;
  if (only !== undefined && entries.length === 1 && entry?.length === 2)
    return { typestr: only.typestr, descr: only.descr, bytes };
  return { typestr: `|V${bytes}`, descr: parts.length === 0 ? null : entries, bytes };
}

/**
 * Parses the format of an element, which must have `itemsize` bytes. Structures of ctypes lack their padding
 * before CPython 3.12, and are aligned if that gives their size.
 * @throws BufferError for types without a dtype: pointers, functions, long doubles, bit fields
 */
export function parseBufferFormat(format: string, itemsize: number): BufferElement {
  const element = parse(format, false);
  if (element.bytes === itemsize) return element;
  const aligned = format.startsWith('T{') ? parse(format, true) : element;
  if (aligned.bytes === itemsize) return aligned;
  throw new BufferError(
    `the buffer's format '${format}' has ${element.bytes} bytes, but its elements have ${itemsize}: import it as bytes`
  );
}
