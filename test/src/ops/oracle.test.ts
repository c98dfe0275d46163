/** Array operations on the simulated device against NumPy. */

import * as library from '../../../src/index.ts';
import { promote } from '../../../src/compute/program/promotion.ts';
import type { ElementTypeName } from '../../../src/compute/program/element-types.ts';
import { failuresOf, oracle, type Bench } from '../../oracle/cases.ts';
import { toleranceOf } from '../../oracle/tolerance.ts';

const bench: Bench = {
  functions: library,
  load: (dtype, bytes) => {
    const target = library.empty(bytes.length / library.toDType(dtype).itemsize, { dtype, device: 'sim:0' });
    if (bytes.length > 0) target.storage.writeFromHost(0, bytes, target.stream);
    return target;
  },
  tolerance: toleranceOf
};

test.each(oracle.dtypes)('%s has the result dtype of NumPy for every dtype', name => {
  const own = oracle.dtypes.map(other => promote(name as ElementTypeName, other as ElementTypeName));
  const known = oracle.promotions[name] as readonly (string | null)[];
  expect(own.filter((_, index) => known[index] !== null)).toEqual(known.filter(each => each !== null));
  expect(known.filter(each => each !== null).length).toBeGreaterThan(7);
});

const calls = [...new Set(oracle.cases.map(({ call }) => call))];

test.each(calls)("%s gives NumPy's result", call => {
  const cases = oracle.cases.filter(each => each.call === call);
  expect(cases.length).toBeGreaterThan(0);
  expect(failuresOf(bench, cases)).toEqual([]);
});
