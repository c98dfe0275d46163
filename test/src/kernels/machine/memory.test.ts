/** Elements in memory of the simulated machine: of each type, with strides, in shared and local memory and in tables. */

import { ELEMENTS, type ElementType } from '../../../../src/kernels/program/types.ts';
import type { Value } from '../../../native/compute/support.ts';
import * as b from './build-program.ts';
import { run } from './run-program.ts';

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

const elements: readonly [ElementType, readonly Value[]][] = [
  ['bool', [true, false, true, true]],
  ['i8', [-128, 127, -1, 5]],
  ['u8', [0, 255, 128, 7]],
  ['i16', [-32768, 32767, -1, 5]],
  ['u16', [0, 65535, 32768, 7]],
  ['i32', [-2147483648, 2147483647, -1, 0]],
  ['u32', [0, 4294967295, 1, 2]],
  ['i64', [-(1n << 63n), (1n << 63n) - 1n, -1n, 0n]],
  ['u64', [0n, (1n << 64n) - 1n, 1n, 2n]],
  ['f16', [0.5, -65504, 2 ** -24, Infinity]],
  ['bf16', [0.5, -3.390625, 2 ** 100, -0]],
  ['f32', [0.5, Math.fround(0.1), -0, Infinity]],
  ['f64', [0.5, 0.1, -0, 1e300]]
];

test.each(elements)('%s goes through shared and local memory and back', (element, values) => {
  const at = b.builder();
  const [x, out] = [at.array('x', element, { readOnly: true }), at.array('out', element)];
  const [s, l] = [at.shared('s', element, 4), at.local('l', element, 3)];
  const v = at.variable(ELEMENTS[element].value);
  const mirrored = b.binary('subtract', 3, b.tid);
  const program = at.program([
    b.store(l, 2, b.load(x, b.tid)),
    b.declare(v, b.load(l, 2)),
    b.store(s, b.tid, b.use(v)),
    b.barrier(),
    b.store(out, b.tid, b.load(s, mirrored))
  ]);
  const [, result] = run(program, { block: 4 }, values, [...values]);
  expect(result).toEqual([...values].reverse());
});

test('stores round f32 to narrow floats, and wrap integers', () => {
  const at = b.builder();
  const [half, brain, byte] = [at.array('half', 'f16'), at.array('brain', 'bf16'), at.array('byte', 'i8')];
  const program = at.program([
    b.store(half, 0, b.f32(1 / 3)),
    b.store(half, 1, b.f32(1e6)),
    b.store(brain, 0, b.f32(1 / 3)),
    b.store(brain, 1, b.f32(NaN)),
    b.store(byte, 0, b.constant('i32', 300)),
    b.store(byte, 1, b.constant('i32', -129))
  ]);
  expect(run(program, {}, [0, 0], [0, 0], [0, 0])).toEqual([
    [0.333251953125, Infinity],
    [0.333984375, NaN],
    [44, 127]
  ]);
});

test('strides in elements, also negative and 0, and views that start inside', () => {
  const at = b.builder();
  const x = at.array('x', 'i32', { rank: 2, contiguous: false, readOnly: true });
  const row = at.array('row', 'f64', { contiguous: false, readOnly: true });
  const out = at.array('out', 'f64', { rank: 2 });
  const [i, j] = [b.special('threadIdx.y'), b.tid];
  const sum = b.add(b.convert('f64', b.load(x, i, j)), b.load(row, j));
  const program = at.program([b.store(out, [i, j], sum)]);
  const [, , result] = run(
    program,
    { block: [3, 2] },
    { values: range(20), shape: [2, 3], strides: [-10, 2], offset: 12 },
    { values: [100, 200], shape: [3], strides: [0], offset: 1 },
    { values: range(6), shape: [2, 3] }
  );
  expect(result).toEqual([212, 214, 216, 202, 204, 206]);
});

test('wide arrays, indices of 64 bits, and arrays without axes', () => {
  const at = b.builder();
  const x = at.array('x', 'i32', { rank: 2, wide: true, contiguous: false });
  const total = at.array('total', 'i64', { rank: 0 });
  const wide = (value: number) => b.convert('i64', b.constant('i32', value));
  const program = at.program([
    b.store(total, [], b.convert('i64', b.add(b.load(x, wide(1), wide(2)), b.load(x, 0, wide(0)))))
  ]);
  const [, result] = run(
    program,
    {},
    { values: range(6), shape: [2, 3], strides: [3, 1] },
    { values: [0n], shape: [] }
  );
  expect(result).toEqual([5n]);
});

test('arrays without elements need no memory', () => {
  const at = b.builder();
  const [x, out] = [at.array('x', 'f32', { rank: 2 }), at.array('out', 'i32')];
  const program = at.program([
    b.when(b.less(b.tid, b.extent(x, 1)), [b.store(x, [b.tid, b.tid], b.f32(1))]),
    b.store(out, 0, b.add(b.multiply(b.extent(x, 0), 10), b.extent(x, 1)))
  ]);
  const [, result] = run(program, { block: 32 }, { values: [], shape: [7, 0] }, [0]);
  expect(result).toEqual([70]);
});

test('each block has its own shared memory, each thread its own local memory', () => {
  const at = b.builder();
  const out = at.array('out', 'i32');
  const [s, l] = [at.shared('s', 'i32', 2, 32), at.local('l', 'i32', 4)];
  const i = at.variable('i32');
  const program = at.program([
    b.declare(i, 0),
    b.loop(
      1,
      b.less(b.use(i), 4),
      [b.store(l, b.use(i), b.multiply(b.use(i), b.globalId))],
      [b.assign(i, b.add(b.use(i), 1))]
    ),
    b.store(s, [1, b.tid], b.load(l, 3)),
    b.barrier(),
    b.store(out, b.globalId, b.load(s, 1, b.binary('subtract', 31, b.tid)))
  ]);
  const [result] = run(program, { grid: 100, block: 32 }, range(3200));
  expect(result).toEqual(range(3200).map(id => 3 * (id - (id % 32) + 31 - (id % 32))));
});

test('dynamic shared memory is as long as the launch allows, behind other shared memory', () => {
  const at = b.builder();
  const out = at.array('out', 'i32');
  const [fixed, s] = [at.shared('fixed', 'u8', 3), at.shared('s', 'i32')];
  const program = at.program([
    b.when(b.less(b.tid, 3), [b.store(fixed, b.tid, b.constant('u32', 255))]),
    b.store(s, b.tid, b.add(b.tid, b.extent(s))),
    b.barrier(),
    b.store(out, b.tid, b.add(b.load(s, b.tid), b.convert('i32', b.load(fixed, 2))))
  ]);
  const [result] = run(program, { block: 10, shared: 42 }, range(10));
  expect(result).toEqual(range(10).map(t => t + 10 + 255));
});

test('tables of captured numbers', () => {
  const at = b.builder();
  const out = at.array('out', 'f64');
  const [table, halves] = [
    at.table('f64', [1.5, 2.5, 3.5, 4.5, 5.5, 6.5], [2, 3]),
    at.table('f16', [0.5, 1 / 3])
  ];
  const program = at.program([
    b.store(
      out,
      b.tid,
      b.add(b.load(table, 1, b.tid), b.convert('f64', b.load(halves, b.binary('and', b.tid, 1))))
    )
  ]);
  expect(run(program, { block: 3 }, [0, 0, 0])).toEqual([[5, 5.5 + 0.333251953125, 7]]);
});
