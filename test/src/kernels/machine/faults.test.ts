/** Checks of the simulated machine: each fault names its kind, its threads and its places. */

import * as b from './build-program.ts';
import { check, fault, launch, type Given, type Shape } from './run-program.ts';
import type { Program } from '../../../../src/kernels/program/program.ts';

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
const at = (line: number) => ({ line, column: 2, length: 3, file: 0 });
const faults = (program: Program, shape: Shape, ...given: readonly Given[]) =>
  check(program, shape, ...given).faults;
const kinds = (program: Program, shape: Shape, ...given: readonly Given[]) =>
  faults(program, shape, ...given).map(({ kind, place }) => [kind, place.line]);

describe('bounds', () => {
  function outside() {
    const made = b.builder('shift');
    const [x, out] = [made.array('x', 'f32'), made.array('out', 'f32')];
    b.atLine(7);
    const value = b.load(x, b.add(b.globalId, 3));
    b.atLine(8);
    return made.program([b.store(out, b.globalId, value)]);
  }

  test('stop a launch, and name the access', () => {
    launch(outside(), { grid: 2, block: [4, 2] }, range(16), range(16));
    expect(fault()).toBeNull();
    const values = range(6);
    const read = launch(outside(), { block: 4 }, values, [9, 9, 9, 9]);
    expect(fault()).toEqual({
      kind: 'bounds',
      kernel: 'shift',
      count: 1,
      place: at(7),
      fileName: 'cell 5',
      block: [0, 0, 0],
      thread: [3, 0, 0],
      array: 'x',
      index: [6],
      axis: 0,
      length: 6
    });
    expect(read()[1]).toEqual([9, 9, 9, 9]);
    expect(fault()).toBeNull();
  });

  test('in a check count all accesses at a place, and the run goes on', () => {
    const found = faults(outside(), { grid: 3, block: 4 }, range(10), range(8));
    expect(found).toMatchObject([
      {
        kind: 'bounds',
        place: at(7),
        block: [1, 0, 0],
        thread: [3, 0, 0],
        index: [10],
        length: 10,
        count: 5
      },
      {
        kind: 'bounds',
        place: at(8),
        block: [2, 0, 0],
        thread: [0, 0, 0],
        array: 'out',
        index: [8],
        count: 4
      }
    ]);
  });

  test.each([
    ['below', -1],
    ['far above', 2 ** 31 - 1],
    ['far below', -(2 ** 31)]
  ])('on any axis, also %s', (_, index) => {
    const made = b.builder();
    const x = made.array('x', 'i64', { rank: 2 });
    const s = made.shared('s', 'i32', 2, 3);
    const program = made.program([b.store(x, [1, index], b.constant('i64', 1n)), b.store(s, [index, 0], 1)]);
    expect(faults(program, {}, { values: [0n, 0n], shape: [2, 1] })).toMatchObject([
      { kind: 'bounds', array: 'x', axis: 1, index: [1, index], length: 1 }
    ]);
    const local = b.builder();
    const l = local.local('l', 'i32', 4);
    expect(faults(local.program([b.atomic('atomicAdd', l, index, [1])]), { block: 2 })).toMatchObject([
      { kind: 'bounds', array: 'l', axis: 0, index: [index], length: 4, count: 2 }
    ]);
  });

  test('a wide index does not wrap', () => {
    const made = b.builder();
    const x = made.array('x', 'i32');
    const program = made.program([b.store(x, b.constant('i64', (1n << 32n) + 1n), 1)]);
    const read = launch(program, {}, [5, 6]);
    expect(fault()).toMatchObject({ kind: 'bounds', index: [2 ** 32 + 1], length: 2 });
    expect(read()).toEqual([[5, 6]]);
  });

  test('of lanes that are not active do not matter', () => {
    const made = b.builder();
    const x = made.array('x', 'i32');
    const program = made.program([
      b.when(b.logical('and', b.less(2, b.tid), b.less(b.tid, 5)), [
        b.store(x, b.binary('subtract', b.tid, 3), b.tid)
      ]),
      b.when(b.equal(b.binary('and', b.tid, 15), 0), [b.store(x, b.binary('shiftRight', b.tid, 4), 7)])
    ]);
    const read = launch(program, { block: 32 }, [0, 0]);
    expect([fault(), read()]).toEqual([null, [[7, 7]]]);
  });
});

test('a barrier that some live threads do not reach', () => {
  const made = b.builder();
  const program = made.program([
    b.when(b.less(60, b.tid), [b.leave(0)]),
    b.barrier(),
    b.when(b.less(b.tid, 32), (b.atLine(9), [b.barrier()]))
  ]);
  expect(faults(program, { grid: 2, block: 64 })).toMatchObject([
    { kind: 'divergentBarrier', place: at(9), block: [0, 0, 0], thread: [32, 0, 0], count: 2 }
  ]);
});

test('a loop whose threads wait a different number of times', () => {
  const made = b.builder();
  const i = made.variable('i32');
  const program = made.program([
    b.declare(i, 0),
    b.loop(1, b.less(b.use(i), b.tid), [b.barrier()], [b.assign(i, b.add(b.use(i), 1))])
  ]);
  expect(kinds(program, { block: 2 })).toEqual([['divergentBarrier', 1]]);
  expect(kinds(program, { block: 1 })).toEqual([]);
});

describe('races', () => {
  /** Each thread writes its element of shared memory and reads a neighbour's, perhaps after `between`. */
  function neighbours(...between: readonly ReturnType<typeof b.barrier>[]) {
    const made = b.builder();
    const [out, s] = [made.array('out', 'i32'), made.shared('s', 'i32', 64)];
    b.atLine(3);
    const write = b.store(s, b.tid, b.tid);
    b.atLine(5);
    const read = b.load(s, b.binary('xor', b.tid, 1));
    return made.program([write, ...between, b.store(out, b.globalId, read)]);
  }
  const shape = { grid: 2, block: 64 };

  test('in shared memory need a barrier', () => {
    expect(faults(neighbours(), shape, range(128))).toMatchObject([
      {
        kind: 'race',
        array: 's',
        place: at(5),
        block: [0, 0, 0],
        thread: [0, 0, 0],
        other: { place: at(3), block: [0, 0, 0], thread: [1, 0, 0] },
        count: 128
      }
    ]);
    expect(faults(neighbours(b.barrier()), shape, range(128))).toEqual([]);
  });

  test('inside a warp a synchronization of the warp is enough, but not between warps', () => {
    expect(faults(neighbours(b.warp('syncWarp', [b.ALL])), shape, range(128))).toEqual([]);
    const made = b.builder();
    const [s, out] = [made.shared('s', 'i32', 64), made.array('out', 'i32')];
    const program = made.program([
      b.store(s, b.tid, b.tid),
      b.warp('syncWarp', [b.ALL]),
      b.store(out, b.tid, b.load(s, b.binary('xor', b.tid, 32)))
    ]);
    expect(kinds(program, { block: 64 }, range(64))).toEqual([['race', 1]]);
  });

  test('a write after a read, and two writes of one instruction', () => {
    const made = b.builder();
    const x = made.array('x', 'i32');
    b.atLine(4);
    const value = b.load(x, b.add(b.tid, 1));
    b.atLine(5);
    const shift = made.program([b.when(b.less(b.tid, 7), [b.store(x, b.tid, value)])]);
    expect(faults(shift, { block: 8 }, range(8))).toMatchObject([
      { kind: 'race', place: at(5), thread: [1, 0, 0], other: { place: at(4), thread: [0, 0, 0] } }
    ]);
    const same = b.builder();
    const y = same.array('y', 'i32');
    expect(faults(same.program([b.store(y, 0, b.tid)]), { block: 3 }, [0])).toMatchObject([
      { kind: 'race', thread: [1, 0, 0], other: { thread: [0, 0, 0] }, count: 2 }
    ]);
  });

  test('blocks are ordered by nothing but a barrier of the grid', () => {
    const make = (name: 'syncThreads' | 'gridSync') => {
      const made = b.builder();
      const [x, out] = [made.array('x', 'i32'), made.array('out', 'i32')];
      const other = b.binary('subtract', 127, b.globalId);
      return made.program([
        b.store(x, b.globalId, 1),
        b.barrier(name),
        b.store(out, b.globalId, b.load(x, other))
      ]);
    };
    expect(faults(make('syncThreads'), { grid: 2, block: 64 }, range(128), range(128))).toMatchObject([
      {
        kind: 'race',
        array: 'x',
        block: [0, 0, 0],
        thread: [0, 0, 0],
        other: { block: [1, 0, 0], thread: [63, 0, 0] }
      }
    ]);
    expect(faults(make('gridSync'), { grid: 2, block: 64 }, range(128), range(128))).toEqual([]);
  });

  test('between blocks of different batches, and through two views of one memory', () => {
    const made = b.builder();
    const [x, y] = [made.array('x', 'i32'), made.array('y', 'u8', { readOnly: true })];
    const v = made.variable('u32');
    b.atLine(2);
    const program = made.program([
      b.declare(v, b.load(y, 5)),
      b.when(b.equal(b.globalId, 4000), (b.atLine(3), [b.store(x, 1, 1)]))
    ]);
    expect(
      faults(program, { grid: 40, block: 128 }, [0, 0], { values: [], shape: [8], same: 0 })
    ).toMatchObject([
      { kind: 'race', array: 'x', index: [1], place: at(3), block: [31, 0, 0], thread: [32, 0, 0] },
      {
        kind: 'race',
        array: 'y',
        index: [5],
        place: at(2),
        block: [32, 0, 0],
        other: { block: [31, 0, 0] },
        count: 1024
      }
    ]);
  });

  test('atomic operations race with plain writes only', () => {
    const make = (plain: boolean) => {
      const made = b.builder();
      const [x, out] = [made.array('x', 'i32'), made.array('out', 'i32')];
      return made.program([
        b.atomic('atomicAdd', x, 0, [1]),
        b.store(out, b.globalId, b.load(x, 0)),
        ...(plain ? [b.when(b.equal(b.globalId, 9), [b.store(x, 0, 0)])] : [])
      ]);
    };
    expect(faults(make(false), { grid: 2, block: 8 }, [0], range(16))).toEqual([]);
    expect(kinds(make(true), { grid: 2, block: 8 }, [0], range(16))).toEqual([['race', 1]]);
  });
});

test('reads of shared and local memory that was not written', () => {
  const made = b.builder();
  const out = made.array('out', 'i32');
  const [s, l, e] = [made.shared('s', 'i32', 4), made.local('l', 'i32', 2), made.shared('e', 'i32', 1)];
  b.atLine(2);
  const shared = b.load(s, b.tid);
  b.atLine(3);
  const local = b.load(l, b.binary('and', b.tid, 1));
  b.atLine(4);
  const program = made.program([
    b.when(b.less(b.tid, 3), [b.store(s, b.tid, 1)]),
    b.store(l, 1, 5),
    b.atomic('atomicExch', e, 0, [1]),
    b.store(out, b.globalId, b.add(shared, local))
  ]);
  expect(faults(program, { grid: 3, block: 4 }, range(12))).toMatchObject([
    { kind: 'uninitialized', array: 's', place: at(2), block: [0, 0, 0], thread: [3, 0, 0], count: 3 },
    { kind: 'uninitialized', array: 'l', place: at(3), block: [0, 0, 0], thread: [0, 0, 0], count: 6 }
  ]);
});

test('warp operations whose mask names other lanes than those that take part', () => {
  const v = (made: ReturnType<typeof b.builder>) => made.variable('u32');
  const vote = (mask: number, threads: number) => {
    const made = b.builder();
    const program = made.program([
      b.when(b.equal(b.tid, 5), [b.leave(0)]),
      b.when(b.less(b.tid, 8), [
        b.warp('ballot', [b.constant('u32', mask), b.constant('bool', true)], v(made))
      ])
    ]);
    return faults(program, { block: threads }).map(({ kind, thread }) => [kind, thread[0]]);
  };
  expect(vote(0xff, 32)).toEqual([]);
  expect(vote(0xdf, 32)).toEqual([]);
  expect(vote(0x1ff, 32)).toEqual([['warpMask', 0]]);
  expect(vote(0xff, 6)).toEqual([['warpMask', 0]]);
  expect(vote(0xfe, 32)).toEqual([['warpMask', 0]]);
});

test('a shuffle from a lane that does not take part', () => {
  const made = b.builder();
  const v = made.variable('i32');
  const program = made.program([
    b.when(b.less(b.tid, 8), [
      b.warp('shflDown', [b.constant('u32', 0xff), b.tid, b.constant('i32', 1), b.constant('i32', 32)], v)
    ])
  ]);
  expect(faults(program, { block: 32 })).toMatchObject([{ kind: 'shuffle', thread: [7, 0, 0], count: 1 }]);
});

test('integer division by zero, but not of floats', () => {
  const made = b.builder();
  const [x, out] = [made.array('x', 'i32'), made.array('out', 'f32')];
  b.atLine(6);
  const rest = b.binary('remainder', 7, b.load(x, b.tid));
  const program = made.program([b.store(out, b.tid, b.binary('divide', b.convert('f32', rest), b.f32(0)))]);
  expect(faults(program, { block: 4 }, [1, 0, 2, 0], range(4))).toMatchObject([
    { kind: 'divisionByZero', place: at(6), thread: [1, 0, 0], count: 2 }
  ]);
});

test('an assertion stops the kernel, checked or not', () => {
  const made = b.builder();
  const out = made.array('out', 'i32');
  b.atLine(11);
  const program = made.program([
    b.assertion(b.less(b.tid, 5), 'only "five" threads'),
    b.store(out, b.tid, 1)
  ]);
  const expected = { kind: 'assert', place: at(11), thread: [5, 0, 0], message: 'only "five" threads' };
  expect(faults(program, { block: 8 }, range(8))).toMatchObject([expected]);
  const read = launch(program, { block: 8 }, range(8));
  expect(fault()).toMatchObject(expected);
  expect(read()).toEqual([range(8)]);
});

test('device code without a host form cannot run', () => {
  const made = b.builder();
  const result = made.variable('i32');
  const place = at(2);
  const host = b.constant('i32', 5);
  const program = made.program([
    { kind: 'native', text: 'nothing()', operands: [], result: null, host, place },
    { kind: 'native', text: '5', operands: [], result, host, place },
    { kind: 'native', text: 'clock()', operands: [], result, host: null, place: at(3) }
  ]);
  expect(kinds(program, {})).toEqual([['unsupported', 3]]);
  const statement = b
    .builder()
    .program([{ kind: 'native', text: 'clock()', operands: [], result: null, host: null, place }]);
  expect(kinds(statement, {})).toEqual([['unsupported', 2]]);
});

test('a check reports at most 20 faults, of different places', () => {
  const made = b.builder();
  const x = made.array('x', 'i32');
  const stores = range(30).map(line => (b.atLine(line + 1), b.store(x, -1, 0)));
  expect(kinds(made.program(stores), {}, [0])).toEqual(range(20).map(line => ['bounds', line + 1]));
});
