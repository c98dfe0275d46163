/**
 * Array operations on a real GPU against NumPy (test/oracle). Exact except for transcendental functions: their bounds are those of the CUDA
 * C++ Programming Guide, "Mathematical Functions", in units in the last place for float32 and float64, and one unit for narrower floats,
 * which compute in float32. Complex functions combine several of these.
 */

import assert from 'node:assert/strict';

import * as library from 'stridelab';

import { failuresOf, oracle, type Bench } from '../oracle/cases.ts';
import { device } from './device.ts';
import { test } from './part.ts';

/** The larger of the bounds of float32 and float64. */
const BOUNDS: Readonly<Record<string, number>> = {
  rsqrt: 2,
  cbrt: 1,
  exp: 2,
  exp2: 2,
  expm1: 1,
  log: 1,
  log2: 1,
  log10: 2,
  log1p: 1,
  sin: 2,
  cos: 2,
  tan: 4,
  asin: 2,
  acos: 2,
  atan: 2,
  sinh: 3,
  cosh: 2,
  tanh: 2,
  asinh: 3,
  acosh: 4,
  atanh: 3,
  erf: 2,
  atan2: 3,
  hypot: 3,
  pow: 4,
  logaddexp: 4
};
const COMPLEX = 8;
/** The division by the number of elements. */
const COMPLEX_MEAN = 2;

function tolerance(call: string, dtype: string, from: string): number {
  if (call === 'abs' && from.startsWith('complex')) return BOUNDS['hypot'] as number;
  const bound = BOUNDS[call];
  if (dtype.startsWith('complex')) {
    if (call === 'mean') return COMPLEX_MEAN;
    return bound !== undefined || ['sqrt', 'divide', 'reciprocal'].includes(call) ? COMPLEX : 0;
  }
  if (bound === undefined) return 0;
  return dtype === 'float32' || dtype === 'float64' ? bound : 1;
}

const bench: Bench = {
  functions: library,
  load: (dtype, bytes) => {
    const target = library.empty(bytes.length / library.toDType(dtype).itemsize, { dtype, device });
    if (bytes.length > 0) target.storage.writeFromHost(0, bytes, target.stream);
    return target;
  },
  tolerance
};

/** Cases of one test: each case compiles its own kernels, which several processes do faster. */
const MOST = 64;

for (const [call, cases] of Map.groupBy(oracle.cases, each => each.call))
  for (let from = 0; from < cases.length; from += MOST) {
    const some = cases.slice(from, from + MOST);
    test(`${call} gives on the device what NumPy gives, cases ${from + 1} to ${from + some.length}`, () => {
      const failures = failuresOf(bench, some);
      assert.deepEqual(failures.slice(0, 20), [], `${failures.length} cases differ`);
    });
  }
