/** The element types of array arithmetic. Pure. */

import type { DTypeName } from '../../dtype/dtype.ts';

/** Types by their numbers in native code (scripts/setup/native-tables.mjs). Smaller floats are computed in float32, rounded each time. */
export const ELEMENT_TYPES = [
  'bool',
  'int8',
  'int16',
  'int32',
  'int64',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
  'float16',
  'bfloat16',
  'float32',
  'float64',
  'complex64',
  'complex128',
  'float8_e3m4',
  'float8_e4m3',
  'float8_e4m3b11fnuz',
  'float8_e4m3fn',
  'float8_e4m3fnuz',
  'float8_e5m2',
  'float8_e5m2fnuz',
  'float8_e8m0fnu'
] as const satisfies readonly DTypeName[];

export type ElementTypeName = (typeof ELEMENT_TYPES)[number];
