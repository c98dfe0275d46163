/** Converts a DLPack type triple to a dtype (rules 123, 125 to 129). Pure. */

import { DTypeError } from '../base/errors.ts';
import { dtypes, type DLDataType, type DType } from './dtype.ts';
import { vectorDType } from './parametric.ts';

const BY_CODE_AND_BITS: ReadonlyMap<number, DType> = new Map(
  Object.values<DType>(dtypes).map(dtype => {
    const { code, bits } = dtype.dlpack!;
    return [code * 256 + bits, dtype];
  })
);

const KNOWN_CODES: ReadonlySet<number> = new Set(
  [...BY_CODE_AND_BITS.keys()].map(key => Math.floor(key / 256))
);

/** Returns the dtype of a DLDataType, sub-byte types included. @throws DTypeError for an unknown code or width, or wrong lanes */
export function dtypeFromDlpack({ code, bits, lanes }: DLDataType): DType {
  const element =
    Number.isInteger(bits) && bits > 0 && bits < 256 ? BY_CODE_AND_BITS.get(code * 256 + bits) : undefined;
  if (element === undefined) {
    const reason = KNOWN_CODES.has(code)
      ? `type code ${code} with ${bits} bits is not supported (rule 131: unsupported dtypes)`
      : `type code ${code} is not supported (rule 131: unsupported dtypes)`;
    throw new DTypeError(`DLPack: ${reason}`);
  }
  return vectorDType(element, lanes);
}
