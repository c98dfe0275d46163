/** Blocks and warps of the simulated machine: barriers, shared memory, shuffles, votes and atomic operations. */

import type { AtomicName, BinaryOperation, WarpName } from '../../../../src/kernels/program/program.ts';
import type { ValueType } from '../../../../src/kernels/program/types.ts';
import type { Value } from '../../../native/compute/support.ts';
import * as b from './build-program.ts';
import { run } from './run-program.ts';

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

test('a tree reduction in shared memory, one sum for each block', () => {
  const at = b.builder();
  const [x, out] = [at.array('x', 'i32'), at.array('out', 'i32')];
  const [s, step] = [at.shared('s', 'i32', 256), at.variable('i32')];
  const program = at.program([
    b.store(s, b.tid, b.load(x, b.globalId)),
    b.barrier(),
    b.declare(step, 128),
    b.loop(
      1,
      b.less(0, b.use(step)),
      [
        b.when(b.less(b.tid, b.use(step)), [
          b.store(s, b.tid, b.add(b.load(s, b.tid), b.load(s, b.add(b.tid, b.use(step)))))
        ]),
        b.barrier()
      ],
      [b.assign(step, b.binary('shiftRight', b.use(step), 1))]
    ),
    b.when(b.equal(b.tid, 0), [b.store(out, b.special('blockIdx.x'), b.load(s, 0))])
  ]);
  const values = range(256 * 50).map(value => (value * 7919) % 1000);
  const sums = range(50).map(at =>
    values.slice(at * 256, at * 256 + 256).reduce((sum, value) => sum + value)
  );
  expect(run(program, { grid: 50, block: 256 }, values, range(50))[1]).toEqual(sums);
});

test('barriers that count', () => {
  const at = b.builder();
  const out = at.array('out', 'i32');
  const [n, all, any] = [at.variable('i32'), at.variable('bool'), at.variable('bool')];
  const block = b.special('blockIdx.x');
  const program = at.program([
    b.when(b.equal(b.tid, 39), [b.leave(0)]),
    b.barrier('syncThreadsCount', [b.less(b.tid, b.multiply(block, 10))], n),
    b.barrier('syncThreadsAnd', [b.less(b.tid, b.add(b.multiply(block, 10), 9))], all),
    b.barrier('syncThreadsOr', [b.equal(b.tid, b.multiply(block, 38))], any),
    b.store(
      out,
      b.globalId,
      b.add(
        b.use(n),
        b.add(b.multiply(b.convert('i32', b.use(all)), 100), b.multiply(b.convert('i32', b.use(any)), 1000))
      )
    )
  ]);
  const [result] = run(
    program,
    { grid: 4, block: 40 },
    range(160).map(() => -1)
  );
  const per = [0 + 0 + 1000, 10 + 0 + 1000, 20, 30 + 100];
  expect(result).toEqual(range(160).map(id => (id % 40 === 39 ? -1 : per[Math.floor(id / 40)])));
});

describe('warps', () => {
  const shuffled = (name: WarpName, by: number, width: number, threads = 64): Value[] => {
    const at = b.builder();
    const [out, v] = [at.array('out', 'f64'), at.variable('f64')];
    const value = b.add(b.convert('f64', b.tid), b.constant('f64', 0.5));
    const program = at.program([
      b.warp(name, [b.ALL, value, b.constant('i32', by), b.constant('i32', width)], v),
      b.store(out, b.tid, b.use(v))
    ]);
    return (run(program, { block: threads }, range(threads))[0] as number[]).map(result => result - 0.5);
  };
  const source: readonly [WarpName, number, number, (lane: number) => number][] = [
    ['shfl', 5, 32, () => 5],
    ['shfl', 37, 32, () => 5],
    ['shfl', 1, 8, lane => (lane & ~7) + 1],
    ['shflUp', 3, 32, lane => (lane < 3 ? lane : lane - 3)],
    ['shflUp', 3, 16, lane => (lane % 16 < 3 ? lane : lane - 3)],
    ['shflDown', 4, 32, lane => (lane + 4 < 32 ? lane + 4 : lane)],
    ['shflDown', 2, 8, lane => (lane % 8 < 6 ? lane + 2 : lane)],
    ['shflXor', 7, 32, lane => lane ^ 7],
    ['shflXor', 16, 16, lane => (lane < 16 ? lane : lane - 16)]
  ];
  test.each(source)('%s by %i in parts of %i', (name, by, width, from) => {
    expect(shuffled(name, by, width)).toEqual(range(64).map(t => (t & ~31) + from(t & 31)));
  });
  test('a last warp that is not full', () => {
    expect(shuffled('shflXor', 1, 32, 40)).toEqual(range(40).map(t => t ^ 1));
  });

  test('votes and matches among the active lanes that the mask names', () => {
    const at = b.builder();
    const [out, flags] = [at.array('out', 'u32', { rank: 2 }), at.array('flags', 'bool', { rank: 2 })];
    const [ballot, same, equal, active] = range(4).map(() => at.variable('u32'));
    const [any, all] = [at.variable('bool'), at.variable('bool')];
    const low = b.constant('u32', 0xffff);
    const third = b.equal(b.binary('remainder', b.tid, 3), 0);
    const program = at.program([
      b.when(b.less(b.tid, 16), [
        b.warp('ballot', [low, third], ballot ?? null),
        b.warp('any', [low, b.equal(b.tid, 7)], any),
        b.warp('all', [low, b.less(b.tid, 15)], all),
        b.warp('matchAny', [low, b.binary('and', b.tid, 3)], same ?? null),
        b.warp('matchAll', [low, b.constant('i64', 5n)], equal ?? null),
        b.warp('activeMask', [], active ?? null),
        b.warp('syncWarp', [low]),
        ...[ballot, same, equal, active].map((variable, index) =>
          b.store(out, [b.tid, index], variable === undefined ? 0 : b.use(variable))
        ),
        b.store(flags, [b.tid, 0], b.use(any)),
        b.store(flags, [b.tid, 1], b.use(all))
      ])
    ]);
    const [votes, bools] = run(
      program,
      { block: 32 },
      { values: range(64), shape: [16, 4] },
      { values: range(32).map(() => false), shape: [16, 2] }
    ) as [number[], boolean[]];
    const expected = range(16).flatMap(t => [0b1001001001001001, 0x1111 << (t & 3), 0xffff, 0xffff]);
    expect(votes).toEqual(expected);
    expect(bools).toEqual(range(16).flatMap(() => [true, false]));
  });
});

describe('atomics', () => {
  type Case = readonly [AtomicName, ValueType, readonly Value[], Value, Value];
  const cases: readonly Case[] = [
    ['atomicAdd', 'i32', [3], -5, 3 * 20_000 - 5],
    ['atomicAdd', 'u64', [1n << 40n], 7n, 20_000n * (1n << 40n) + 7n],
    ['atomicAdd', 'f32', [0.5], 1, 10_001],
    ['atomicAdd', 'f64', [0.25], 1, 5001],
    ['atomicSub', 'u32', [1], 5, 4_294_967_296 + 5 - 20_000],
    ['atomicMin', 'i32', [-7], 3, -7],
    ['atomicMax', 'f32', [7.5], 3, 7.5],
    ['atomicExch', 'u32', [9], 1, 9],
    ['atomicCas', 'i32', [4, 8], 4, 8],
    ['atomicCas', 'i32', [5, 8], 4, 4],
    ['atomicAnd', 'u32', [0b1101], 0b0111, 0b0101],
    ['atomicOr', 'i64', [1n << 40n], 1n, (1n << 40n) + 1n],
    ['atomicXor', 'u32', [3], 5, 5],
    ['atomicInc', 'u32', [6], 0, 20_000 % 7],
    ['atomicDec', 'u32', [6], 0, 7 - (20_000 % 7)]
  ];
  test.each(cases)('%s of %s with %p', (name, type, values, start, end) => {
    const at = b.builder();
    const out = at.array('out', type);
    const program = at.program([
      b.atomic(
        name,
        out,
        0,
        values.map(value => b.constant(type, value as number))
      )
    ]);
    expect(run(program, { grid: 625, block: 32 }, [start])).toEqual([[end]]);
  });

  test('results are the old values: each ticket is given once', () => {
    const at = b.builder();
    const [count, tickets, old] = [at.array('count', 'i32'), at.array('tickets', 'i32'), at.variable('i32')];
    const program = at.program([
      b.when(b.equal(b.binary('remainder', b.tid, 3), 0), [
        b.atomic('atomicAdd', count, 0, [1], old),
        b.atomic('atomicAdd', tickets, b.use(old), [1])
      ])
    ]);
    const wanted = 300 * 22;
    const [counted, given] = run(
      program,
      { grid: 300, block: 64 },
      [0],
      range(wanted).map(() => 0)
    );
    expect(counted).toEqual([wanted]);
    expect(given).toEqual(range(wanted).map(() => 1));
  });

  test('a histogram in shared memory', () => {
    const at = b.builder();
    const [x, out] = [at.array('x', 'u8'), at.array('out', 'i32')];
    const bins = at.shared('bins', 'i32', 16);
    const inside = b.less(b.tid, 16);
    const bin = b.convert('i32', b.load(x, b.globalId));
    const program = at.program([
      b.when(inside, [b.store(bins, b.tid, 0)]),
      b.barrier(),
      b.atomic('atomicAdd', bins, bin, [1]),
      b.barrier(),
      b.when(inside, [b.atomic('atomicAdd', out, b.tid, [b.load(bins, b.tid)])])
    ]);
    const values = range(128 * 40).map(value => (value * value) % 16);
    const expected = range(16).map(bin => values.filter(value => value === bin).length);
    expect(
      run(
        program,
        { grid: 40, block: 128 },
        values,
        range(16).map(() => 0)
      )[1]
    ).toEqual(expected);
  });
});

test('a barrier of the grid: every block sees what all others wrote', () => {
  const at = b.builder();
  const [x, out] = [at.array('x', 'i32'), at.array('out', 'i32')];
  const size = b.multiply(b.special('gridDim.x'), b.special('blockDim.x'));
  const last: BinaryOperation = 'subtract';
  const program = at.program([
    b.store(x, b.globalId, b.multiply(b.globalId, 3)),
    b.barrier('gridSync'),
    b.store(out, b.globalId, b.load(x, b.binary(last, b.binary(last, size, 1), b.globalId)))
  ]);
  const [, result] = run(program, { grid: 100, block: 64 }, range(6400), range(6400));
  expect(result).toEqual(range(6400).map(id => 3 * (6399 - id)));
});
