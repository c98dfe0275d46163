/** Maps element types and reductions to NCCL's. Pure. */

import type { DType, DTypeName } from '../dtype/dtype.ts';
import { ArgumentError, DTypeError } from '../base/errors.ts';
import { textOf } from '../base/value-text.ts';

/** The ncclDataType_t of each dtype that NCCL computes with. */
const TYPES: Readonly<Partial<Record<DTypeName, number>>> = {
  int8: 0,
  uint8: 1,
  int32: 2,
  uint32: 3,
  int64: 4,
  uint64: 5,
  float16: 6,
  float32: 7,
  float64: 8,
  bfloat16: 9,
  float8_e4m3fn: 10,
  float8_e5m2: 11
};

const BYTES = 1;

/** Values of ncclRedOp_t. */
const REDUCTIONS = { sum: 0, prod: 1, max: 2, min: 3, avg: 4 } as const;

/** How elements of different ranks are combined. Integers wrap around, and their average is truncated toward zero. */
export type ReductionName = keyof typeof REDUCTIONS;

/** Returns NCCL's code of a reduction. @throws ArgumentError */
export function reductionCode(name: ReductionName): number {
  if (Object.hasOwn(REDUCTIONS, name)) return REDUCTIONS[name];
  throw new ArgumentError(
    `unknown op ${textOf(name)}: expected one of ${Object.keys(REDUCTIONS).join(', ')}`
  );
}

/** The type and count of the elements of an NCCL call. */
export interface Elements {
  readonly type: number;
  readonly count: number;
}

/** Describes elements for a reduction. @throws DTypeError for a dtype that NCCL cannot reduce */
export function numbers(dtype: DType, count: number): Elements {
  const type = TYPES[dtype.name];
  if (type !== undefined) return { type, count };
  throw new DTypeError(
    `${dtype.name} cannot be reduced across devices; NCCL supports ${Object.keys(TYPES).join(', ')}`
  );
}

/** Describes elements that are only moved: any dtype; types that NCCL lacks are moved as bytes. */
export function movedElements(dtype: DType, count: number): Elements {
  const type = TYPES[dtype.name];
  // Older NCCL versions lack the two types of 8-bit floats, and moving needs no arithmetic.
  if (type !== undefined && dtype.itemsize > 1) return { type, count };
  return { type: BYTES, count: count * dtype.itemsize };
}
