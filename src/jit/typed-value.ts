/** Values with an explicit type, for parameters of which only the size is known. */

import type { ValueType } from './signature.ts';

/** A number with an explicit C type, for kernel parameters whose type is unknown; `cuda.float32(1)` makes one. */
export class TypedValue {
  /** The C type. */
  readonly type: ValueType;
  /** The number. */
  readonly value: number | bigint | boolean;

  constructor(type: ValueType, value: number | bigint | boolean) {
    this.type = type;
    this.value = value;
  }
}

const maker =
  (kind: ValueType['kind'], bytes: number) =>
  (value: number | bigint | boolean): TypedValue =>
    new TypedValue({ kind, bytes }, value);

export const int8 = maker('int', 1);
export const int16 = maker('int', 2);
export const int32 = maker('int', 4);
export const int64 = maker('int', 8);
export const uint8 = maker('uint', 1);
export const uint16 = maker('uint', 2);
export const uint32 = maker('uint', 4);
export const uint64 = maker('uint', 8);
export const float16 = maker('float', 2);
export const float32 = maker('float', 4);
export const float64 = maker('float', 8);
