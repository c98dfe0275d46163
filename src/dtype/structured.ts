/** How text, opaque bytes and records look on the host. Pure. */

import { ValueError } from '../base/errors.ts';
import type { DType, Field } from './dtype.ts';
import {
  hostArrayOver,
  type FieldValue,
  type HostArray,
  type RecordValue,
  type Scalar
} from './host-array.ts';

export type ReadElement = (host: HostArray, dtype: DType, index: number) => Scalar;
export type WriteElement = (host: HostArray, dtype: DType, index: number, value: Scalar) => void;

const bytesOf = (host: HostArray, dtype: DType, index: number): Uint8Array =>
  (host as Uint8Array).subarray(index * dtype.itemsize, (index + 1) * dtype.itemsize);

/** Element `index` of an array of S, U or V; NULs at the end of text do not count, as in NumPy. */
export function readStructured(host: HostArray, dtype: DType, index: number, read: ReadElement): Scalar {
  const bytes = bytesOf(host, dtype, index);
  if (dtype.kind === 'S') return String.fromCharCode(...bytes).replace(/\0+$/, '');
  if (dtype.kind === 'U') return readCharacters(bytes).replace(/\0+$/, '');
  if (dtype.fields === null) return bytes.slice();
  return Object.fromEntries(
    dtype.fields.map(field => [field.name, readField(bytes, field, 0, field.offset, read)])
  );
}

function readCharacters(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = '';
  for (let at = 0; at < bytes.byteLength; at += 4) {
    const point = view.getUint32(at, true);
    text += point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point);
  }
  return text;
}

const strideOf = ({ shape, dtype }: Field, axis: number): number =>
  shape.slice(axis + 1).reduce((bytes, dimension) => bytes * dimension, dtype.itemsize);

function readField(
  bytes: Uint8Array,
  field: Field,
  axis: number,
  offset: number,
  read: ReadElement
): FieldValue {
  if (axis === field.shape.length) {
    const { dtype } = field;
    return read(hostArrayOver(dtype, bytes.slice(offset, offset + dtype.itemsize).buffer), dtype, 0);
  }
  const step = strideOf(field, axis);
  return Array.from({ length: field.shape[axis] as number }, (_, i) =>
    readField(bytes, field, axis + 1, offset + i * step, read)
  );
}

/** Stores an element of S, U or V. @throws ValueError for a value of another kind, or one that is too long */
export function writeStructured(
  host: HostArray,
  dtype: DType,
  index: number,
  value: Scalar,
  write: WriteElement
): void {
  const bytes = bytesOf(host, dtype, index);
  if (dtype.kind === 'S' || dtype.kind === 'U') writeText(bytes, dtype, value);
  else if (dtype.fields !== null) writeRecord(bytes, dtype, value, write);
  else if (value instanceof Uint8Array && value.length === dtype.itemsize) bytes.set(value);
  else throw new ValueError(`dtype ${dtype.name} takes a Uint8Array of ${dtype.itemsize} bytes`);
}

function writeText(bytes: Uint8Array, dtype: DType, value: Scalar): void {
  if (typeof value !== 'string')
    throw new ValueError(`a value of dtype ${dtype.name} is text, not ${typeof value}`);
  const points = [...value].map(character => character.codePointAt(0) as number);
  const width = dtype.kind === 'S' ? 1 : 4;
  if (points.length * width > bytes.length)
    throw new ValueError(`${JSON.stringify(value)} is longer than dtype ${dtype.name} holds`);
  if (width === 1 && points.some(point => point > 0xff))
    throw new ValueError(
      `${JSON.stringify(value)} has characters that do not fit into one byte (${dtype.name})`
    );
  bytes.fill(0);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  points.forEach((point, i) => (width === 1 ? view.setUint8(i, point) : view.setUint32(i * 4, point, true)));
}

function writeRecord(bytes: Uint8Array, dtype: DType, value: Scalar, write: WriteElement): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array)
    throw new ValueError(`dtype ${dtype.name} takes an object with its fields`);
  const record = value as RecordValue;
  for (const field of dtype.fields ?? []) {
    const part = record[field.name];
    if (part === undefined) throw new ValueError(`field '${field.name}' of dtype ${dtype.name} is missing`);
    writeField(bytes, field, 0, field.offset, part, write);
  }
}

function writeField(
  bytes: Uint8Array,
  field: Field,
  axis: number,
  offset: number,
  value: FieldValue,
  write: WriteElement
): void {
  const { dtype, shape } = field;
  if (axis === shape.length) {
    const one = hostArrayOver(dtype, new ArrayBuffer(dtype.itemsize));
    write(one, dtype, 0, value as Scalar);
    bytes.set(new Uint8Array(one.buffer), offset);
    return;
  }
  if (!Array.isArray(value) || value.length !== shape[axis])
    throw new ValueError(`field '${field.name}' takes nested arrays of shape (${shape.join(', ')})`);
  const step = strideOf(field, axis);
  value.forEach((part: FieldValue, i) => writeField(bytes, field, axis + 1, offset + i * step, part, write));
}
