/** Control flow of the simulated machine: every lane runs what it would run alone. */

import * as b from './build-program.ts';
import { run } from './run-program.ts';

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

test('a guarded kernel over several blocks', () => {
  const at = b.builder();
  const [x, out, i] = [at.array('x', 'f32'), at.array('out', 'f32'), at.variable('i32')];
  const program = at.program([
    b.declare(i, b.globalId),
    b.when(b.less(b.use(i), b.extent(x)), [b.store(out, b.use(i), b.multiply(b.load(x, b.use(i)), b.f32(2)))])
  ]);
  const values = range(10_000).map(value => value / 4);
  const [, result] = run(
    program,
    { grid: 40, block: 256 },
    values,
    values.map(() => 0)
  );
  expect(result).toEqual(values.map(value => value * 2));
});

test('lanes take different arms, also nested, and join again', () => {
  const at = b.builder();
  const [out, v] = [at.array('out', 'i32'), at.variable('i32')];
  const program = at.program([
    b.declare(v, 0),
    b.when(
      b.less(b.tid, 10),
      [b.when(b.less(b.tid, 5), [b.assign(v, 1)], [b.assign(v, 2)]), b.assign(v, b.add(b.use(v), 10))],
      [b.assign(v, 3)]
    ),
    b.store(out, b.tid, b.add(b.use(v), 100))
  ]);
  const [result] = run(program, { block: 16 }, range(16));
  expect(result).toEqual(range(16).map(t => (t < 5 ? 111 : t < 10 ? 112 : 103)));
});

test('loops of different lengths, with leaves to the end and to the next round of several levels', () => {
  const at = b.builder();
  const [out, i, j, sum] = [
    at.array('out', 'i32'),
    at.variable('i32'),
    at.variable('i32'),
    at.variable('i32')
  ];
  const [i0, j0, s0] = [b.use(i), b.use(j), b.use(sum)];
  const program = at.program([
    b.declare(sum, 0),
    b.declare(i, 0),
    b.block(5, [
      b.loop(
        1,
        b.less(i0, b.tid),
        [
          b.when(b.equal(binaryRemainder(i0, 7), 3), [b.leave(1, 'next')]),
          b.declare(j, 0),
          b.loop(
            2,
            b.less(j0, i0),
            [
              b.when(b.equal(j0, 11), [b.leave(1, 'next')]),
              b.when(b.equal(j0, 9), [b.leave(2)]),
              b.when(b.equal(binaryRemainder(j0, 2), 0), [b.leave(2, 'next')]),
              b.when(b.less(b.constant('i32', 200), s0), [b.leave(5)]),
              b.assign(sum, b.add(s0, j0))
            ],
            [b.assign(j, b.add(j0, 1))]
          ),
          b.assign(sum, b.add(s0, 1))
        ],
        [b.assign(i, b.add(i0, 1))]
      ),
      b.assign(sum, b.add(s0, 1000))
    ]),
    b.store(out, b.tid, s0)
  ]);
  const alone = (tid: number): number => {
    let sum = 0;
    five: {
      one: for (let i = 0; i < tid; i++) {
        if (i % 7 === 3) continue;
        for (let j = 0; j < i; j++) {
          if (j === 11) continue one;
          if (j === 9) break;
          if (j % 2 === 0) continue;
          if (200 < sum) break five;
          sum += j;
        }
        sum++;
      }
      sum += 1000;
    }
    return sum;
  };
  const [result] = run(program, { block: 64 }, range(64));
  expect(result).toEqual(range(64).map(alone));
});

const binaryRemainder = (left: ReturnType<typeof b.use>, right: number) => b.binary('remainder', left, right);

test('do … while tests after the body, and a leave to the next round goes to the test', () => {
  const at = b.builder();
  const [out, i, n] = [at.array('out', 'i32'), at.variable('i32'), at.variable('i32')];
  const program = at.program([
    b.declare(i, 0),
    b.declare(n, 0),
    b.loop(
      1,
      b.less(b.use(i), b.tid),
      [
        b.assign(i, b.add(b.use(i), 1)),
        b.when(b.equal(b.binary('and', b.use(i), 1), 1), [b.leave(1, 'next')]),
        b.assign(n, b.add(b.use(n), 1))
      ],
      [],
      { testLast: true }
    ),
    b.store(out, b.tid, b.add(b.multiply(b.use(n), 100), b.use(i)))
  ]);
  const [result] = run(program, { block: 9 }, range(9));
  expect(result).toEqual(range(9).map(t => Math.floor(Math.max(t, 1) / 2) * 100 + Math.max(t, 1)));
});

test('an early return ends threads; the others go on', () => {
  const at = b.builder();
  const [out, i] = [at.array('out', 'i32'), at.variable('i32')];
  const program = at.program([
    b.store(out, b.tid, 1),
    b.when(b.equal(b.binary('and', b.tid, 1), 1), [b.leave(0)]),
    b.declare(i, 0),
    b.loop(1, null, [
      b.when(b.equal(b.use(i), b.tid), [b.leave(0)]),
      b.assign(i, b.add(b.use(i), 1)),
      b.store(out, b.tid, b.add(b.use(i), 1))
    ])
  ]);
  const [result] = run(program, { block: 40 }, range(40));
  expect(result).toEqual(range(40).map(t => (t % 2 === 1 ? 1 : t + 1)));
});

test('values that could fault are evaluated only where they are needed', () => {
  const at = b.builder();
  const [x, out, i] = [at.array('x', 'i32'), at.array('out', 'i32'), at.variable('i32')];
  const inside = b.logical('and', b.less(b.tid, 5), b.less(b.load(x, b.tid), 3));
  const either = b.logical('or', b.less(b.constant('i32', 4), b.tid), b.equal(b.load(x, b.tid), 4));
  const program = at.program([
    b.declare(i, b.select(b.less(b.tid, 5), b.load(x, b.tid), b.constant('i32', -1))),
    b.when(inside, [b.assign(i, b.add(b.use(i), 100))]),
    b.when(either, [b.assign(i, b.add(b.use(i), 1000))]),
    b.store(out, b.tid, b.use(i))
  ]);
  const [, result] = run(program, { block: 8 }, [0, 1, 2, 3, 4], range(8));
  expect(result).toEqual([100, 101, 102, 3, 1004, 999, 999, 999]);
});

test('a variable keeps its value in lanes that do not assign, and a declared one starts at zero', () => {
  const at = b.builder();
  const [out, i, v] = [at.array('out', 'f64'), at.variable('i32'), at.variable('f64')];
  const program = at.program([
    b.declare(i, 0),
    b.loop(
      1,
      b.less(b.use(i), 3),
      [b.declare(v), b.when(b.equal(b.tid, b.use(i)), [b.assign(v, b.constant('f64', 0.1))])],
      [b.assign(i, b.add(b.use(i), 1))]
    ),
    b.store(out, b.tid, b.use(v))
  ]);
  expect(run(program, { block: 4 }, [9, 9, 9, 9])).toEqual([[0, 0, 0.1, 0]]);
});

test('three axes of blocks and threads', () => {
  const at = b.builder();
  const out = at.array('out', 'i32', { rank: 3 });
  const index = (['z', 'y', 'x'] as const).map(axis =>
    b.add(
      b.multiply(b.special(`blockIdx.${axis}`), b.special(`blockDim.${axis}`)),
      b.special(`threadIdx.${axis}`)
    )
  );
  const [z, y, x] = index as [ReturnType<typeof b.use>, ReturnType<typeof b.use>, ReturnType<typeof b.use>];
  const program = at.program([
    b.store(out, index, b.add(b.multiply(z, 10_000), b.add(b.multiply(y, 100), x)))
  ]);
  const [result] = run(
    program,
    { grid: [3, 2, 2], block: [4, 3, 2] },
    { values: range(4 * 6 * 12), shape: [4, 6, 12] }
  );
  expect(result).toEqual(
    range(4 * 6 * 12).map(at => Math.floor(at / 72) * 10_000 + (Math.floor(at / 12) % 6) * 100 + (at % 12))
  );
});
