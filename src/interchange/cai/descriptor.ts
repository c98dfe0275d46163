/** Parses a producer's descriptor and checks every key, without driver calls. Rules 2, 5 to 9, 11, 15 to 27, 32 to 57, 64, 67, 71. */

import { parseElement } from '../../dtype/resolve.ts';
import type { DType } from '../../dtype/dtype.ts';
import type { Swap } from '../../dtype/typestr.ts';
import { DescriptorError } from '../../base/errors.ts';
import { sizeOf, toShape, type Shape } from '../../layout/shape.ts';
import { extentOf, rowMajorStrides, type Extent, type Strides } from '../../layout/strides.ts';
import type { PendingWork } from '../order.ts';
import { isForeignObject } from '../foreign.ts';
import { readEventEntry } from './event-entry.ts';
import { CAI_VERSION, FIRST_WITH_MASK, FIRST_WITH_SYNCHRONIZATION } from '../../protocols/cai.ts';
import { textOf } from '../../base/value-text.ts';

export interface ParsedDescriptor extends PendingWork {
  /** The version as written; versions above 3 are read as 3. */
  readonly version: number;
  readonly shape: Shape;
  /** Byte strides, also if the descriptor has null (rule 17). */
  readonly strides: Strides;
  readonly dtype: DType;
  /** Runs of bytes that are not in the device's byte order (rule 42). */
  readonly swaps: readonly Swap[];
  /** The address of the first logical element; 0n for any empty array (rule 56). */
  readonly pointer: bigint;
  readonly readOnly: boolean;
  /** The bytes that the elements span, relative to the pointer (rule 24). */
  readonly extent: Extent;
  /** The mask, which must have the interface; null if all elements are valid (rules 49, 50). */
  readonly mask: object | null;
}

export interface ReadOptions {
  /** Whether to accept a version above 3 (rule 9). */
  readonly newerVersion?: 'accept' | 'refuse' | undefined;
}

const ADDRESS_SPACE = 1n << 64n;

type Key = 'shape' | 'typestr' | 'data' | 'version' | 'strides' | 'descr' | 'stream' | 'mask' | 'event';
/** The keys that are read, with unchecked values. */
type Entries = Readonly<Partial<Record<Key, unknown>>>;

/** Throws the error for an entry. @throws DescriptorError */
export function refuse(key: Key, reason: string): never {
  throw new DescriptorError(key, reason);
}

/** Returns the entries of an object or of any dictionary (rule 6). */
function entriesOf(value: unknown): Entries {
  if (value instanceof Map) return Object.fromEntries(value as Map<string, unknown>);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  if (isForeignObject(value))
    throw new DescriptorError(
      '',
      'the value is a Python object: pass a Python array to asCudaArray, or a dictionary through python.toJS()'
    );
  throw new DescriptorError('', `expected an object with shape, typestr, data and version (rule 1: form)`);
}

function required(value: unknown, key: Key): unknown {
  if (value === undefined) refuse(key, 'the key is missing (rule 2: required keys)');
  return value;
}

let warnedOfNewer = false;

function readVersion(value: unknown, options: ReadOptions): number {
  const version = typeof value === 'bigint' ? Number(value) : value;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 0)
    refuse('version', `${textOf(value)} is not a version (rule 5: versions)`);
  if (version <= CAI_VERSION) return version;
  if (options.newerVersion === 'refuse')
    refuse('version', `version is ${version}, expected at most ${CAI_VERSION} (rule 9: newer versions)`);
  if (!warnedOfNewer) {
    warnedOfNewer = true;
    process.emitWarning(
      `a CUDA Array Interface of version ${version} is read as version ${CAI_VERSION}: keys that it adds are ignored`,
      { code: 'STRIDELAB_CAI_VERSION' }
    );
  }
  return version;
}

function readIntegers(value: unknown, key: Key): readonly (number | bigint)[] {
  if (Array.isArray(value)) return value as readonly (number | bigint)[];
  if (ArrayBuffer.isView(value) && !(value instanceof DataView))
    return Array.from(value as unknown as ArrayLike<number | bigint>);
  refuse(key, `${textOf(value)} is not a list of integers`);
}

function readStrides(value: unknown, shape: Shape): Strides {
  const given = readIntegers(value, 'strides');
  if (given.length !== shape.length) {
    refuse(
      'strides',
      `${given.length} strides for ${shape.length} axes, expected one for each axis (rule 18: byte strides)`
    );
  }
  const strides = given.map(stride => (typeof stride === 'bigint' ? Number(stride) : stride));
  for (const [axis, stride] of strides.entries()) {
    if (typeof stride !== 'number' || !Number.isSafeInteger(stride))
      refuse(
        'strides',
        `${textOf(given[axis])} on axis ${axis} is not a number of bytes (rule 18: byte strides)`
      );
  }
  return Object.freeze(strides);
}

/** Returns true for 0 to 2^64 - 1; one comparison, because those of bigints are calls. */
const isWord = (value: bigint): boolean => BigInt.asUintN(64, value) === value;

function readAddress(value: unknown): bigint {
  if (typeof value === 'bigint' && isWord(value)) return value;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  refuse('data', `${textOf(value)} is not an address, expected a bigint or a safe integer (rule 53: form)`);
}

function readData(value: unknown, size: number): readonly [pointer: bigint, readOnly: boolean] {
  if (!Array.isArray(value) || value.length !== 2)
    refuse('data', 'expected [pointer, readOnly] (rule 53: form)');
  const address: unknown = value[0]; // destructuring would create an iterator
  const readOnly: unknown = value[1];
  if (typeof readOnly !== 'boolean')
    refuse('data', `the read-only flag is ${textOf(readOnly)}, expected a boolean (rule 53: form)`);
  if (size === 0 && (address === null || address === undefined)) return [0n, readOnly];
  const pointer = readAddress(address);
  if (size === 0) return [0n, readOnly]; // any pointer is accepted (rule 56)
  if (pointer === 0n)
    refuse('data', `the pointer is 0, expected the address of ${size} elements (rule 57: pointer 0)`);
  return [pointer, readOnly];
}

function readStream(value: unknown): bigint | null {
  if (value === undefined || value === null) return null;
  const handle = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof handle !== 'bigint')
    refuse('stream', `${textOf(value)} is not a stream handle (rule 71: handles)`);
  if (handle === 0n)
    refuse(
      'stream',
      '0 is ambiguous: use 1 for the legacy or 2 for the per-thread default stream (rule 67: stream 0)'
    );
  if (!isWord(handle)) refuse('stream', `${handle} is not a stream handle (rule 71: handles)`);
  return handle;
}

function readMask(value: unknown, version: number): object | null {
  if (version < FIRST_WITH_MASK || value === undefined || value === null) return null;
  if (typeof value !== 'object' && typeof value !== 'function')
    refuse('mask', `${textOf(value)} is not an array (rule 50: masks)`);
  return value;
}

/** Below this address no check of the end is needed: a safe-integer extent cannot leave the address space. */
const FAR_END = ADDRESS_SPACE - BigInt(Number.MAX_SAFE_INTEGER);

/** Checks that 64-bit addresses reach all bytes. @throws DescriptorError */
function checkReach(pointer: bigint, { start, end }: Extent): void {
  // Both ends are exact if their distance is, since one is at most 0 and the other above it.
  if (!Number.isSafeInteger(end - start))
    refuse('strides', 'the array spans more than 2^53 - 1 bytes (rule 16: overflow)');
  if ((start < 0 && pointer < BigInt(-start)) || (pointer > FAR_END && pointer + BigInt(end) > ADDRESS_SPACE))
    refuse('data', 'the array extends outside the 64-bit address space (rule 24: extent)');
}

const NO_EXTENT: Extent = Object.freeze({ start: 0, end: 0 });

/** Parses a descriptor. @throws DescriptorError naming the key, DTypeError, ShapeError; each cites the rule */
export function parseDescriptor(value: unknown, options: ReadOptions = {}): ParsedDescriptor {
  const entries = entriesOf(value);
  const shape = toShape(readIntegers(required(entries.shape, 'shape'), 'shape'));
  const typestr = required(entries.typestr, 'typestr');
  if (typeof typestr !== 'string') refuse('typestr', `${textOf(typestr)} is not a string (rule 32: form)`);
  const data = required(entries.data, 'data');
  const version = readVersion(required(entries.version, 'version'), options);
  const { dtype, swaps } = parseElement(typestr, entries.descr);
  const size = sizeOf(shape);
  const [pointer, readOnly] = readData(data, size);
  const givenStrides = entries.strides;
  const contiguous = givenStrides === undefined || givenStrides === null;
  const { itemsize } = dtype;
  const strides = contiguous ? rowMajorStrides(shape, itemsize) : readStrides(givenStrides, shape);
  const extent =
    size === 0
      ? NO_EXTENT
      : contiguous
        ? { start: 0, end: size * itemsize }
        : extentOf(shape, strides, itemsize);
  if (size > 0) checkReach(pointer, extent);
  return {
    version,
    shape,
    size,
    strides,
    dtype,
    swaps,
    pointer,
    readOnly,
    extent,
    stream: readStream(entries.stream),
    saysWhatIsPending: version >= FIRST_WITH_SYNCHRONIZATION,
    mask: readMask(entries.mask, version),
    event: readEventEntry(entries.event)
  };
}
