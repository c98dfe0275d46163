/** Checks which arrays each interface can express, and why not (rules 26, 37, 44, 120, 131). Pure. */

import { isSubByte, type DLDataType, type DType } from '../dtype/dtype.ts';
import type { Shape } from '../layout/shape.ts';
import type { Strides } from '../layout/strides.ts';

/** The properties of an array that decide how it exports. */
export interface Crossing {
  /** The element type. */
  readonly dtype: DType;
  /** The lengths of the axes. */
  readonly shape: Shape;
  /** Byte strides. */
  readonly strides: Strides;
  /** Whether the array must not be written. */
  readonly readOnly?: boolean;
  /** The validity mask, which DLPack cannot carry. */
  readonly mask?: unknown;
}

/** The first minor version of DLPack 1 with small floats, and their first type code. */
const FIRST_MINOR_WITH_SMALL_FLOATS = 1;
const FIRST_SMALL_FLOAT_CODE = 7;

/** Returns the minor version of DLPack 1 that a consumer must support for this dtype. */
export function minorFor(dtype: DLDataType): number {
  return dtype.code >= FIRST_SMALL_FLOAT_CODE ? FIRST_MINOR_WITH_SMALL_FLOATS : 0;
}

/** Returns why DLPack cannot express a dtype, or null. */
export function dlpackDTypeRefusal(dtype: DType): string | null {
  if (dtype.dlpack !== null) return null;
  switch (dtype.kind) {
    case 'm':
    case 'M':
      return `${dtype.name}: DLPack has no dates; view it as int64 and send the unit beside it (rule 37)`;
    case 'S':
    case 'U':
      return `${dtype.name}: DLPack has no text; view it as uint8 (rule 131)`;
    case 'V':
      return dtype.fields === null
        ? `${dtype.name}: DLPack has no opaque bytes; view it as uint8 (rule 131)`
        : `${dtype.name}: DLPack has no records; export its fields one by one (rule 131)`;
    default:
      return `${dtype.name}: DLPack has no code for it (rule 131)`;
  }
}

/** Returns why DLPack, which counts strides in elements, cannot express these strides, or null (rule 120). */
export function dlpackStrideRefusal(dtype: DType, shape: Shape, strides: Strides): string | null {
  const { itemsize } = dtype;
  for (let axis = 0; axis < shape.length; axis++) {
    const stride = strides[axis] as number;
    if (stride % itemsize !== 0 && (shape[axis] as number) > 1)
      return (
        `the stride of axis ${axis} is ${stride} bytes, not a multiple of ${itemsize} (${dtype.name}): DLPack counts strides in ` +
        'elements (rule 120: strides); copy the array first'
      );
  }
  return null;
}

/** Returns why DLPack cannot express a mask, without which consumers would treat every element as valid, or null (rule 49). */
export function dlpackMaskRefusal(mask: unknown): string | null {
  if (mask === null || mask === undefined) return null;
  return 'the array has a mask, DLPack has none: export withMask(null) and the mask separately (rule 49: masks)';
}

/** Returns why the CUDA Array Interface has no typestr for a dtype, or null (rule 44). */
export function caiDTypeRefusal(dtype: DType): string | null {
  if (dtype.typestr !== null) return null;
  return `${dtype.name}: the CUDA Array Interface has no typestr for it, use DLPack (rule 44)`;
}

/** A report of whether a protocol can export an array, and what is lost. */
export interface CrossingReport {
  /** True if the export works. */
  readonly possible: boolean;
  /** Why it does not work; null if it does. */
  readonly reason: string | null;
  /** Properties that the consumer does not receive, as sentences. */
  readonly losses: readonly string[];
}

function report(reasons: readonly (string | null)[], losses: readonly (string | null)[]): CrossingReport {
  const reason = reasons.find(entry => entry !== null) ?? null;
  return { possible: reason === null, reason, losses: losses.filter(entry => entry !== null) };
}

/** Checks how an array would export through DLPack, version 1. */
export function dlpackCrossing(array: Crossing): CrossingReport {
  const { dtype, shape, strides } = array;
  return report(
    [dlpackDTypeRefusal(dtype), dlpackStrideRefusal(dtype, shape, strides), dlpackMaskRefusal(array.mask)],
    ['pending work: DLPack orders one consumer stream, at the call (rule 162: later writes)']
  );
}

/** Checks how an array would export through the CUDA Array Interface, version 3. */
export function caiCrossing(array: Crossing): CrossingReport {
  return report(
    [caiDTypeRefusal(array.dtype)],
    ['the owner: users of the descriptor must keep the array alive (rule 91: lifetime)']
  );
}

/** Returns true for elements smaller than a byte that take a byte each, which needs a flag that the unversioned struct lacks (rule 128). */
export function needsPaddedFlag(dtype: DType): boolean {
  return isSubByte(dtype) && dtype.lanes === 1;
}
