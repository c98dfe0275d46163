/** Writes formats of the buffer protocol, in the syntax of the `struct` module extended by PEP 3118. Pure. */

import type { DType, Field } from '../../dtype/dtype.ts';
import { CODES } from './buffer-format.ts';

/** The code of each type in native mode, because `memoryview` reads no others. */
const NATIVE = new Map(Object.entries(CODES).map(([code, [kind, bytes]]) => [`${kind}${bytes}`, code]));

/** Returns the format of an element; null for dates, and for types without a typestr (rule 44). */
export function bufferFormat(dtype: DType): string | null {
  const { typestr, fields, itemsize } = dtype;
  if (typestr === null) return null;
  if (fields !== null) return recordFormat(fields, itemsize);
  switch (dtype.kind) {
    case 'S':
      return `${itemsize}s`;
    case 'U':
      return `${itemsize / 4}w`;
    case 'V':
      return `${itemsize}x`;
    default:
      return NATIVE.get(typestr.slice(1)) ?? null;
  }
}

/** Writes the fields in order with explicit padding, since `=` adds none. */
function recordFormat(fields: readonly Field[], itemsize: number): string | null {
  let format = '';
  let end = 0;
  for (const { name, dtype, offset, shape } of fields) {
    const element = bufferFormat(dtype);
    if (element === null || name.includes(':')) return null;
    const count = shape.length === 0 ? '' : `(${shape.join(',')})`;
    // A byte order applies until the next one, also inside nested fields.
    const order = dtype.fields === null ? '=' : '';
    format += `${padding(offset - end)}${count}${order}${element}:${name}:`;
    end = offset + shape.reduce((product, dimension) => product * dimension, dtype.itemsize);
  }
  return `T{${format}${padding(itemsize - end)}}`;
}

function padding(bytes: number): string {
  return bytes === 0 ? '' : `${bytes}x`;
}
