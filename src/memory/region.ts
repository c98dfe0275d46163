import type { DType } from '../dtype/dtype.ts';
import type { Shape } from '../layout/shape.ts';
import type { Strides } from '../layout/strides.ts';
import type { Storage } from './storage.ts';

/** Strided elements inside a storage; `offset` is the byte of the first logical element. */
export interface Region {
  readonly storage: Storage;
  readonly dtype: DType;
  readonly shape: Shape;
  readonly strides: Strides;
  readonly offset: number;
}
