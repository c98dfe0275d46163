/**
 * Random kernels compute the same, bit for bit, as JavaScript that rounds and wraps by itself, and have no faults. The environment
 * variables STRIDELAB_FUZZ_KERNELS and STRIDELAB_FUZZ_SEED set how many there are, and the first seed.
 */

import { array, type NDArray } from '../../../../src/index.ts';
import { kernelOf } from '../kernel-of.ts';
import { PARAMETERS, requireRight, SHAPE, type Run } from './compare.ts';

const KERNELS = Number(process.env['STRIDELAB_FUZZ_KERNELS'] ?? 150);
const FIRST = Number(process.env['STRIDELAB_FUZZ_SEED'] ?? 1);
const GROUPS = 10;
/** Kernels of a test; more take long. */
const SIZE = Math.ceil(KERNELS / GROUPS);

const values = (list: readonly NDArray[]): Float64Array[] =>
  list.map(each => each.toTypedArray() as Float64Array);
const run: Run = (text, arrays) => {
  const kernel = kernelOf(PARAMETERS, text);
  const given = (): NDArray[] => Object.values(arrays).map(each => array(each));
  const [launched, checked] = [given(), given()];
  kernel.launch(SHAPE, ...launched);
  const { faults } = kernel.check(SHAPE, ...checked);
  return { launched: values(launched), checked: values(checked), faults };
};

test.each(Array.from({ length: GROUPS }, (_, group) => FIRST + group * SIZE))(
  `seeds from %d`,
  first => {
    for (let seed = first; seed < first + SIZE; seed++) requireRight(seed, run);
  },
  600_000
);
