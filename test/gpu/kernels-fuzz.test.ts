/**
 * Random kernels give the same bits on the GPU as the JavaScript that they stand for, without contraction to fused multiply-adds. The
 * environment variables STRIDELAB_FUZZ_KERNELS and STRIDELAB_FUZZ_SEED set how many there are, and the first seed.
 */
import { test } from 'node:test';

import { array, type NDArray } from 'stridelab';

import { requireRight, SHAPE, type Run } from '../src/kernels/fuzz/compare.ts';
import { on } from './device.ts';
import { kernelOf } from './kernel-of.ts';

const KERNELS = Number(process.env['STRIDELAB_FUZZ_KERNELS'] ?? 40);
const FIRST = Number(process.env['STRIDELAB_FUZZ_SEED'] ?? 1);

const run: Run = (text, arrays) => {
  const kernel = kernelOf(text, {}, { contract: false });
  const given = (): NDArray[] => Object.values(arrays).map(each => array(each, on));
  const [own, checked] = [given(), given()];
  kernel.launch(SHAPE, ...own);
  const { faults } = kernel.check(SHAPE, ...checked);
  const launched = own.map(each => each.toTypedArray() as Float64Array);
  return { launched, checked: launched, faults };
};

test(`${KERNELS} kernels from seed ${FIRST}`, () => {
  for (let seed = FIRST; seed < FIRST + KERNELS; seed++) requireRight(seed, run);
});
