/** The fields of the tensor that an array would export by DLPack, without making one. Rules 107 to 140. */

import type { NDArray } from '../array.ts';
import { dlpackCrossing, needsPaddedFlag } from '../interchange/convert.ts';
import { FLAG } from '../interchange/dlpack/fields.ts';
import { DLPACK_VERSION } from '../interchange/dlpack/protocol.ts';
import { formatAddress } from './rows.ts';
import type { DlpackTensorDescription } from './schema.ts';

/** DLDataTypeCode of dlpack.h 1.3, in the order of its numbers (rules 125, 127). */
const CODE_NAMES = [
  'kDLInt',
  'kDLUInt',
  'kDLFloat',
  'kDLOpaqueHandle',
  'kDLBfloat',
  'kDLComplex',
  'kDLBool',
  'kDLFloat8_e3m4',
  'kDLFloat8_e4m3',
  'kDLFloat8_e4m3b11fnuz',
  'kDLFloat8_e4m3fn',
  'kDLFloat8_e4m3fnuz',
  'kDLFloat8_e5m2',
  'kDLFloat8_e5m2fnuz',
  'kDLFloat8_e8m0fnu',
  'kDLFloat6_e2m3fn',
  'kDLFloat6_e3m2fn',
  'kDLFloat4_e2m1fn'
] as const;

/** For a consumer that asks for the newest version and no copy. @throws FreedError */
export function describeTensor(array: NDArray): DlpackTensorDescription {
  const { dtype, shape, strides } = array;
  const triple = dtype.dlpack;
  const flags =
    (array.exportedReadOnly ? FLAG.READ_ONLY : 0) | (needsPaddedFlag(dtype) ? FLAG.SUBBYTE_PADDED : 0);
  const whole = strides.every(
    (stride, axis) => (shape[axis] as number) <= 1 || stride % dtype.itemsize === 0
  );
  return {
    refusal: dlpackCrossing(array).reason,
    version: DLPACK_VERSION,
    dtype: triple && { ...triple, name: CODE_NAMES[triple.code] ?? `code ${triple.code}` },
    data: formatAddress(array.pointer),
    strides: whole
      ? strides.map(stride => (stride % dtype.itemsize === 0 ? stride / dtype.itemsize : 1))
      : null,
    // All of the address is in `data` (rule 114).
    byteOffset: 0,
    flags
  };
}
