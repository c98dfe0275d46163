/** The grammar of a CAI typestr: byte order, kind, size, unit (rules 32 to 44). Pure. */

import { DTypeError } from '../base/errors.ts';
import { dtypes, type DType } from './dtype.ts';
import { countedDType, timeDType } from './parametric.ts';

/** A run of bytes to reverse in units of `width`, if a producer's byte order is not the device's (rule 42). */
export interface Swap {
  /** Bytes from the start of the element. */
  readonly offset: number;
  readonly bytes: number;
  readonly width: number;
}

/** A parsed type: `swaps` is empty for native byte order. */
export interface Parsed {
  readonly dtype: DType;
  readonly swaps: readonly Swap[];
}

const BY_TYPESTR: ReadonlyMap<string, Parsed> = new Map(
  Object.values<DType>(dtypes)
    .filter(dtype => dtype.typestr !== null)
    .map(dtype => [dtype.typestr!, { dtype, swaps: [] }])
);

const GRAMMAR = /^([<>|=])([A-Za-z])(\d{1,10})(?:\[([^\]]*)\])?$/;

const refuse = (typestr: string, reason: string): never => {
  throw new DTypeError(`typestr '${typestr}': ${reason}`);
};

/** Returns the width of the units in which bytes are reversed; 1 if byte order has no meaning (rule 43). */
function unitWidth(kind: string, itemsize: number): number {
  if (kind === 'S' || kind === 'V') return 1;
  if (kind === 'U') return 4;
  return kind === 'c' ? itemsize / 2 : itemsize;
}

function dtypeOf(typestr: string, kind: string, size: number, unit: string | undefined): DType {
  if (unit !== undefined && kind !== 'm' && kind !== 'M')
    return refuse(typestr, `only dates and time differences have a unit (rule 32: form)`);
  switch (kind) {
    case 'S':
    case 'U':
    case 'V':
      return countedDType(kind, size);
    case 'm':
    case 'M':
      return size === 8
        ? timeDType(kind, unit ?? '')
        : refuse(typestr, `dates have 8 bytes, not ${size} (rule 37: dates)`);
    case 't':
      return refuse(typestr, 'bit fields have no device representation (rule 41: kinds t and O)');
    case 'O':
      return refuse(typestr, 'object pointers can never be device data (rule 41: kinds t and O)');
  }
  const found = BY_TYPESTR.get(`<${kind}${size}`) ?? BY_TYPESTR.get(`|${kind}${size}`);
  return (
    found?.dtype ??
    refuse(typestr, `no device type of kind '${kind}' has ${size} bytes (rules 33 to 36: sizes)`)
  );
}

/** Returns the dtype of a typestr in any byte order, except structured ones. @throws DTypeError that names the typestr and the rule */
export function parseAnyOrder(typestr: string): Parsed {
  const found = BY_TYPESTR.get(typestr);
  if (found !== undefined) return found;
  const match = GRAMMAR.exec(typestr);
  if (match === null)
    return refuse(typestr, `expected byte order, kind and bytes, such as '<f4' (rule 32: form)`);
  const [, order, kind, digits, unit] = match as unknown as [
    string,
    string,
    string,
    string,
    string | undefined
  ];
  if (order === '=') return refuse(typestr, `'=' is not part of the interface, use '<' (rule 32: form)`);
  const dtype = dtypeOf(typestr, kind, Number(digits), unit);
  const width = unitWidth(kind, dtype.itemsize);
  // Single bytes have no byte order, and '<u1' occurs in practice.
  if (width === 1 || order === '<') return { dtype, swaps: [] };
  if (order === '|')
    return refuse(typestr, `'|' is only for types without a byte order, use '<' (rule 43: byte order)`);
  return { dtype, swaps: [{ offset: 0, bytes: dtype.itemsize, width }] };
}

/** Returns the typestr of opaque bytes for a type without a typestr, if the user requests it: `<V2`, `|V1` (rule 44). */
export const opaqueTypestr = (dtype: DType): string => (dtype.itemsize === 1 ? '|V1' : `<V${dtype.itemsize}`);
