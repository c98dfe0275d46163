/** Grants, the messages with which a process lets another open an array (`docs/sharing.md`), and their checks. */

import { recordDType, toDType } from '../dtype/resolve.ts';
import type { Descr, DType } from '../dtype/dtype.ts';
import { IpcError } from '../base/errors.ts';
import type { Shape } from '../layout/shape.ts';
import { extentOf, type Strides } from '../layout/strides.ts';
import type { NDArray } from '../array/array.ts';
import type { IpcSource } from '../memory/manager/ipc-handle.ts';
import type { SharingWay } from '../memory/manager/shareable.ts';

/** `none` is for arrays without elements. */
export type GrantedWay = SharingWay | 'none';

/** Where the elements of an array lie in a block of memory. */
export interface GrantedView {
  /** Name of the dtype, or the fields of a record. */
  readonly dtype: string | Descr;
  readonly shape: Shape;
  readonly strides: Strides;
  /** Bytes from the lowest byte of any element to the first element. */
  readonly first: number;
  /** Bytes from the lowest byte of any element to the end of the highest. */
  readonly bytes: number;
  readonly readOnly: boolean;
}

export interface Grant {
  readonly way: GrantedWay;
  readonly source: IpcSource;
  readonly view: GrantedView;
  /** The entries with which the way finds the memory. */
  readonly memory: Readonly<Record<string, unknown>>;
  /** The driver's 64 bytes of the event to wait for, as base64; null if no work is pending. */
  readonly event: string | null;
}

export function viewOf(array: NDArray, readOnly: boolean): GrantedView {
  const { dtype, shape, strides } = array;
  const { start, end } = extentOf(shape, strides, dtype.itemsize);
  return { dtype: dtype.descr ?? dtype.name, shape, strides, first: -start, bytes: end - start, readOnly };
}

/** Returns the dtype of a view. @throws DTypeError if this version of the library does not support it */
export function dtypeOf({ dtype }: GrantedView): DType {
  return typeof dtype === 'string' ? toDType(dtype) : recordDType(dtype);
}

const WAYS: readonly unknown[] = ['legacy', 'pool', 'vmm', 'memfd', 'none'];

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Checks a grant. @throws IpcError for anything but a grant whose elements are inside its bytes (rule 195) */
export function readGrant(fields: Readonly<Record<string, unknown>>): Grant {
  const { way, source, view, memory, event } = fields;
  if (!WAYS.includes(way) || !isObject(source) || !isObject(view) || !isObject(memory)) refuse();
  if (typeof source['pciBusId'] !== 'string' || typeof source['uuid'] !== 'string') refuse();
  if (event !== null && typeof event !== 'string') refuse();
  const { dtype, shape, strides, first, bytes, readOnly } = view;
  if (!Array.isArray(shape) || !shape.every(isCount) || !Array.isArray(strides)) refuse();
  if (strides.length !== shape.length || !strides.every(Number.isSafeInteger)) refuse();
  if (typeof dtype !== 'string' && !Array.isArray(dtype)) refuse();
  if (!isCount(first) || !isCount(bytes) || typeof readOnly !== 'boolean') refuse();
  const grant = fields as unknown as Grant;
  const { start, end } = extentOf(grant.view.shape, grant.view.strides, dtypeOf(grant.view).itemsize);
  if (first + start < 0 || first + end > bytes)
    throw new IpcError(
      `bytes ${first + start} to ${first + end} of the shared array are not inside its ${bytes} bytes (rule 195: extent)`
    );
  return grant;
}

function refuse(): never {
  throw new IpcError(
    'the other process sent a message that does not follow version 1 of the sharing protocol'
  );
}
