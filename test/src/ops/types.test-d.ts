/** Static types of results. Compiled with the tests, never run: a wrong type is an error of `tsc`. */

import {
  add,
  argmax,
  atan2,
  cumsum,
  divide,
  equal,
  floorDivide,
  matmul,
  mean,
  pow,
  sin,
  square,
  sum,
  where,
  type DTypeName,
  type NDArray
} from '../../../src/index.ts';
import type { Promoted } from '../../../src/compute/program/promotion.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Of<A extends NDArray> = A extends NDArray<infer D> ? D : never;

declare const flag: NDArray<'bool'>;
declare const int8: NDArray<'int8'>;
declare const int32: NDArray<'int32'>;
declare const half: NDArray<'float16'>;
declare const brain: NDArray<'bfloat16'>;
declare const single: NDArray<'float32'>;
declare const double: NDArray<'float64'>;
declare const complex: NDArray<'complex64'>;
declare const some: NDArray;

export const promotions: [
  Same<Promoted<'float32', 'float32'>, 'float32'>,
  Same<Promoted<'bool', 'bool'>, 'bool'>,
  Same<Promoted<'bool', 'int8'>, 'int8'>,
  Same<Promoted<'int8', 'bool'>, 'int8'>,
  Same<Promoted<'float16', 'float32'>, 'float32'>,
  Same<Promoted<'float64', 'float16'>, 'float64'>,
  Same<Promoted<'float16', 'bfloat16'>, DTypeName>,
  Same<Promoted<'int8', 'uint8'>, DTypeName>,
  Same<Promoted<'int32', 'float32'>, DTypeName>,
  Same<Promoted<'float32', DTypeName>, DTypeName>,
  Same<Promoted<DTypeName, DTypeName>, DTypeName>
] = [true, true, true, true, true, true, true, true, true, true, true];

export const sums = [
  add(half, single),
  single.add(1),
  add(1, single),
  single.multiply(double),
  complex.add(1.5)
] as const;
export const elementwise: [
  Same<Of<(typeof sums)[0]>, 'float32'>,
  Same<Of<(typeof sums)[1]>, 'float32'>,
  Same<Of<(typeof sums)[2]>, 'float32'>,
  Same<Of<(typeof sums)[3]>, 'float64'>,
  Same<Of<(typeof sums)[4]>, 'complex64'>
] = [true, true, true, true, true];

// A complex value makes a float complex, a fraction makes an integer a float: neither dtype stays the same.
export const widened = [
  single.add({ re: 0, im: 1 }),
  int32.add(0.5),
  add(int8, brain),
  where(flag, int32, 1.5)
] as const;
export const wider: [
  Same<Of<(typeof widened)[0]>, DTypeName>,
  Same<Of<(typeof widened)[1]>, DTypeName>,
  Same<Of<(typeof widened)[2]>, DTypeName>,
  Same<Of<(typeof widened)[3]>, DTypeName>
] = [true, true, true, true];

// Here integers do not stay integers, nor bool bool.
export const floats = [
  divide(int32, int32),
  int32.divide(int32),
  single.divide(double),
  atan2(int8, int8),
  sin(int32)
] as const;
export const counts = [
  floorDivide(flag, flag),
  pow(flag, flag),
  square(flag),
  flag.remainder(flag),
  floorDivide(int8, int8)
] as const;
export const kinds: [
  Same<Of<(typeof floats)[0]>, DTypeName>,
  Same<Of<(typeof floats)[1]>, DTypeName>,
  Same<Of<(typeof floats)[2]>, 'float64'>,
  Same<Of<(typeof floats)[3]>, DTypeName>,
  Same<Of<(typeof floats)[4]>, DTypeName>,
  Same<Of<(typeof counts)[0]>, 'int8'>,
  Same<Of<(typeof counts)[1]>, 'int8'>,
  Same<Of<(typeof counts)[2]>, 'int8'>,
  Same<Of<(typeof counts)[3]>, 'int8'>,
  Same<Of<(typeof counts)[4]>, 'int8'>
] = [true, true, true, true, true, true, true, true, true, true];

export const reduced = [
  sum(single),
  sum(int32),
  sum(single, { dtype: 'float64', axis: 0 }),
  int8.sum({ axis: 0 }),
  mean(half),
  argmax(some),
  cumsum(int8, { dtype: 'int16' }),
  complex.abs(),
  matmul(half, single),
  equal(complex, 1),
  double.astype('uint8')
] as const;
export const reductions: [
  Same<Of<(typeof reduced)[0]>, 'float32'>,
  Same<Of<(typeof reduced)[1]>, DTypeName>,
  Same<Of<(typeof reduced)[2]>, 'float64'>,
  Same<Of<(typeof reduced)[3]>, DTypeName>,
  Same<Of<(typeof reduced)[4]>, 'float16'>,
  Same<Of<(typeof reduced)[5]>, 'int64'>,
  Same<Of<(typeof reduced)[6]>, 'int16'>,
  Same<Of<(typeof reduced)[7]>, 'float32'>,
  Same<Of<(typeof reduced)[8]>, 'float32'>,
  Same<Of<(typeof reduced)[9]>, 'bool'>,
  Same<Of<(typeof reduced)[10]>, 'uint8'>
] = [true, true, true, true, true, true, true, true, true, true, true];

// @ts-expect-error JavaScript's operators are none of arrays
export const operator = single * double;
// @ts-expect-error one operand is an array
export const text = add('x', 'y');
