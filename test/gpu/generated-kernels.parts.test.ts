/** Each path of the generated kernels, at its edges, gives the results of the simulated device: widths, divisions among threads, alignments. */

import assert from 'node:assert/strict';

import {
  add,
  argmax,
  array,
  cumsum,
  devices,
  empty,
  matmul,
  min,
  RandomGenerator,
  sum,
  take,
  trace,
  where,
  zeros,
  type DTypeName,
  type NDArray
} from 'stridelab';

import { device } from './device.ts';
import { test } from './part.ts';

const simulated = devices().find(({ simulated }) => simulated);
if (simulated === undefined) throw new Error('no simulated device');
const host = { device: simulated };

/** An array of small integers, whose sums are exact in every type, on the simulated device and on the tested one. */
function pair(dtype: DTypeName, size: number): readonly [here: NDArray, there: NDArray] {
  const there = new RandomGenerator(5).integers(-2, 4, size, { ...host, dtype: 'int32' }).astype(dtype);
  return [empty(size, { dtype, device }).copyFrom(there), there];
}

function assertSame(here: NDArray, there: NDArray, what: string): void {
  assert.deepEqual([...here.shape], [...there.shape], what);
  assert.deepEqual(here.copy().toTypedArray(), there.copy().toTypedArray(), what);
}

type View = readonly [what: string, view: (flat: NDArray) => NDArray, axis?: number | number[]];

const VIEWS: readonly View[] = [
  ['no element', a => a.slice(':0')],
  ['one element', a => a.slice(0)],
  ['a short line', a => a.slice(':777')],
  ['a long line', a => a],
  ['a misaligned line', a => a.slice('1:5000')],
  ['a reversed line', a => a.slice('::-1')],
  ['every third element', a => a.slice('::3')],
  ['two long rows', a => a.slice(':300000').reshape(2, 150_000), 1],
  ['rows of 1', a => a.slice(':900').reshape(900, 1), 1],
  ['rows of 7', a => a.slice(':7000').reshape(1000, 7), 1],
  ['rows of 16', a => a.slice(':160000').reshape(10_000, 16), 1],
  ['rows of 256', a => a.slice(':256000').reshape(1000, 256), 1],
  ['rows of 300', a => a.slice(':300000').reshape(1000, 300), 1],
  ['rows of 2048', a => a.slice(':204800').reshape(100, 2048), 1],
  ['4 wide rows by columns', a => a.slice(':300000').reshape(4, 75_000), 0],
  ['256 columns', a => a.slice(':256000').reshape(1000, 256), 0],
  ['300 columns', a => a.slice(':300000').reshape(1000, 300), 0],
  ['3 columns', a => a.slice(':300000').reshape(100_000, 3), 0],
  ['misaligned columns', a => a.slice('1:2001').reshape(50, 40), 0],
  ['a middle axis', a => a.slice(':300000').reshape(10, 300, 100), 1],
  ['outer axes', a => a.slice(':300000').reshape(10, 300, 100), [0, 2]],
  ['a strided middle axis', a => a.slice(':300000').reshape(10, 300, 100).slice(':', '::-2', '1::3'), 1],
  ['a transposed array', a => a.slice(':300000').reshape(1000, 300).T, 0]
];

for (const dtype of ['int8', 'float16', 'float32', 'float64', 'complex64', 'complex128'] as const) {
  test(`sums of ${dtype} are right for every division among threads`, () => {
    const [here, there] = pair(dtype, 300_007);
    for (const [what, view, axis] of VIEWS) {
      const wide = { axis, dtype: dtype === 'float16' ? ('float64' as const) : undefined };
      assertSame(sum(view(here), wide), sum(view(there), wide), `sum of ${what}`);
    }
  });
}

for (const dtype of ['bool', 'int8', 'float16', 'float32', 'float64'] as const) {
  test(`extrema and tests of ${dtype} are right for every division among threads`, () => {
    const [here, there] = pair(dtype, 300_007);
    for (const [what, view, axis] of VIEWS.slice(1)) {
      const options = { axis };
      assertSame(min(view(here), options), min(view(there), options), `min of ${what}`);
      assertSame(view(here).any(options), view(there).any(options), `any of ${what}`);
      assertSame(view(here).all(options), view(there).all(options), `all of ${what}`);
      if (Array.isArray(axis)) continue;
      assertSame(argmax(view(here), { axis }), argmax(view(there), { axis }), `argmax of ${what}`);
    }
  });
}

test('a reduction gives the same bits each time, also after others on its stream', () => {
  const values = new RandomGenerator(3).normal(3_000_001, { dtype: 'float32', device });
  const first = sum(values).item();
  for (let turn = 0; turn < 20; turn++) {
    sum(values.slice(':1000000'));
    sum(values.slice(':3000000').reshape(1000, 3000), { axis: 0 });
    assert.equal(sum(values).item(), first);
  }
});

for (const dtype of ['int8', 'float16', 'float32', 'float64', 'complex128'] as const) {
  test(`cumulative sums of ${dtype} are right for every division among threads`, () => {
    const [here, there] = pair(dtype, 300_007);
    for (const [what, view, axis] of VIEWS) {
      if (Array.isArray(axis) || view(there).ndim === 0) continue;
      const wide = { axis: axis ?? 0, dtype: dtype === 'float16' ? ('float64' as const) : undefined };
      assertSame(cumsum(view(here), wide), cumsum(view(there), wide), `cumsum of ${what}`);
    }
  });

  test(`transposing copies of ${dtype} are right for every tile`, () => {
    const [here, there] = pair(dtype, 300_007);
    for (const [rows, columns] of [
      [16, 16],
      [64, 64],
      [131, 77],
      [130, 1000],
      [200, 256],
      [1000, 300]
    ] as const) {
      for (const start of [0, 1]) {
        const turned = (a: NDArray): NDArray =>
          a.slice(`${start}:${start + rows * columns}`).reshape(rows, columns).T;
        assertSame(turned(here).copy(), turned(there), `${rows} x ${columns} from ${start}`);
        const inner = (a: NDArray): NDArray => turned(a).slice('1:', '1:');
        assertSame(inner(here).copy(), inner(there), `part of ${rows} x ${columns} from ${start}`);
      }
    }
    const batches = (a: NDArray): NDArray => a.slice(':299520').reshape(3, 26, 60, 64).transpose(3, 1, 0, 2);
    assertSame(batches(here).copy(), batches(there), 'batches');
  });
}

test('cumulative sums of lines of more than a million elements are right', () => {
  for (const shape of [[5_000_003], [3, 1_300_001], [1_300_001, 3]]) {
    const [here, there] = pair(
      'int32',
      shape.reduce((product, count) => product * count)
    );
    for (const axis of shape.keys())
      assertSame(
        cumsum(here.reshape(...shape), { axis }),
        cumsum(there.reshape(...shape), { axis }),
        `cumsum of ${shape.join(' x ')} along axis ${axis}`
      );
  }
});

test('more batches than a grid has layers are transposed', () => {
  const [here, there] = pair('int8', 70_000 * 256);
  const turned = (a: NDArray): NDArray => a.reshape(70_000, 16, 16).transpose(0, 2, 1);
  assertSame(turned(here).copy(), turned(there), 'batches');
});

for (const [left, right] of [
  ['int8', 'int8'],
  ['float16', 'float16'],
  ['float32', 'float32'],
  ['int8', 'float64'],
  ['complex128', 'complex128']
] as const) {
  test(`${left} + ${right} is right for every pack`, () => {
    const [a, x] = pair(left, 100_003);
    const [b, y] = pair(right, 100_003);
    const cases: readonly [string, (v: NDArray) => NDArray, (v: NDArray) => NDArray][] = [
      ['whole', v => v, v => v],
      ['short', v => v.slice(':5'), v => v.slice('1:6')],
      ['misaligned', v => v.slice('1:'), v => v.slice(':-1')],
      [
        'rows with gaps',
        v => v.slice(':96000').reshape(300, 320).slice(':', ':304'),
        v => v.slice(':91200').reshape(300, 304)
      ],
      [
        'odd rows with gaps',
        v => v.slice(':96000').reshape(300, 320).slice(':', '1:320'),
        v => v.slice(':95700').reshape(300, 319)
      ],
      ['a row for all', v => v.slice(':96000').reshape(300, 320), v => v.slice(':320')],
      ['a column for all', v => v.slice(':96000').reshape(300, 320), v => v.slice(':300').reshape(300, 1)],
      ['one for all', v => v.slice(':96000').reshape(300, 320), v => v.slice('3:4')],
      [
        'a plane for all',
        v => v.slice(':96000').reshape(10, 30, 320),
        v => v.slice(':3200').reshape(10, 1, 320)
      ],
      [
        'reversed rows',
        v => v.slice(':96000').reshape(300, 320).slice('::-1', '::-1'),
        v => v.slice(':96000').reshape(300, 320)
      ],
      ['transposed', v => v.slice(':96000').reshape(300, 320).T, v => v.slice(':96000').reshape(320, 300)],
      [
        'both transposed',
        v => v.slice(':96000').reshape(300, 320).T,
        v => v.slice('1:96001').reshape(300, 320).T
      ],
      [
        'transposed and reversed',
        v => v.slice(':96000').reshape(300, 320).T.slice('::-1', '::-1'),
        v => v.slice(':96000').reshape(320, 300)
      ],
      ['one short tile', v => v.slice(':272').reshape(16, 17).T, v => v.slice(':272').reshape(17, 16)],
      [
        'batches of transposed planes',
        v => v.slice(':96000').reshape(10, 60, 160).transpose(0, 2, 1),
        v => v.slice(':9600').reshape(160, 60)
      ],
      [
        'permuted axes',
        v => v.slice(':96000').reshape(160, 4, 30, 5).transpose(2, 1, 3, 0),
        v => v.slice(':96000').reshape(30, 4, 5, 160)
      ],
      ['no elements', v => v.slice(':0'), v => v.slice(':0')]
    ];
    for (const [what, l, r] of cases) assertSame(add(l(a), r(b)), add(l(x), r(y)), what);
    const into = (v: NDArray, w: NDArray): NDArray => {
      const target = v.copy();
      const rows = target.slice(':96000').reshape(300, 320).slice(':', '16:');
      rows.add(w.slice(':91200').reshape(300, 304).astype(left), { out: rows });
      return target;
    };
    assertSame(into(a, b), into(x, y), 'in place, in rows with gaps');
  });
}

test('more transposed operands than fit into shared memory are right', () => {
  const [a, x] = pair('complex128', 6000);
  const turned = (v: NDArray): NDArray => v.reshape(60, 100).T;
  const chosen = (v: NDArray): NDArray => where(turned(v), turned(v.add(1)), turned(v.multiply(2)));
  assertSame(chosen(a), chosen(x), 'a choice between two');
});

test('elements of every size are taken, in words as wide as the memory allows', () => {
  for (const dtype of ['int8', 'float16', 'float32', 'complex128'] as const) {
    const [here, there] = pair(dtype, 4 * 60 * 64 + 1);
    const views: readonly [string, (v: NDArray) => NDArray][] = [
      ['whole', v => v.slice(':-1').reshape(4, 60, 64)],
      ['misaligned', v => v.slice('1:').reshape(4, 60, 64)],
      ['reversed', v => v.slice(':-1').reshape(4, 60, 64).slice(':', '::-1', ':33')],
      ['transposed', v => v.slice(':-1').reshape(4, 60, 64).T]
    ];
    for (const [what, view] of views) {
      for (const axis of [0, 1, 2]) {
        for (const type of ['int32', 'int64'] as const) {
          const at = (where: typeof device): NDArray =>
            array([0, 3, -1, 2, 2, -4], { dtype: type, device: where });
          const took = take(view(here), at(device), { axis });
          assertSame(took, take(view(there), at(host.device), { axis }), `${what}, axis ${axis}`);
        }
      }
    }
  }
});

test('normal numbers differ from those of the simulated device by less than 2^-17 in float32', () => {
  const on = { dtype: 'float32' } as const;
  const count = 1_000_003;
  const here = new RandomGenerator(11).normal(count, { ...on, device }).toTypedArray();
  const there = new RandomGenerator(11).normal(count, { ...on, ...host }).toTypedArray();
  const worst = here.reduce((most, value, index) => Math.max(most, Math.abs(value - there[index]!)), 0);
  assert.ok(worst < 2 ** -17, `the largest difference is ${worst}`);
});

test('matrices that begin anywhere are multiplied', () => {
  for (const dtype of ['float16', 'bfloat16', 'float32'] as const) {
    const [here, there] = pair(dtype, 64 * 64 + 9);
    for (const start of [0, 1, 2, 4, 8]) {
      const square = (v: NDArray): NDArray => v.slice(`${start}:${start + 64 * 64}`).reshape(64, 64);
      assertSame(
        matmul(square(here), square(here)),
        matmul(square(there), square(there)),
        `${dtype} from ${start}`
      );
    }
  }
});

for (const dtype of ['float16', 'bfloat16', 'float32', 'float64'] as const) {
  test(`matrices of ${dtype} are multiplied by vectors, with and without the kernel for these`, () => {
    const [here, there] = pair(dtype, 2_200_000);
    for (const [rows, length, own] of [
      [13_000, 160, dtype !== 'float16' && dtype !== 'bfloat16'],
      [1100, 2000, true],
      [2100, 1024, true],
      [260, 8200, true],
      [3, 700_000, false],
      [1000, 2001, false]
    ] as const) {
      const what = `${rows} x ${length}`;
      const matrix = (flat: NDArray): NDArray => flat.slice(`:${rows * length}`).reshape(rows, length);
      const vector = (flat: NDArray): NDArray => flat.slice(`-${length}:`).copy();
      const products = (flat: NDArray): NDArray[] => {
        const [all, x] = [matrix(flat), vector(flat)];
        return [
          matmul(all, x),
          matmul(x, all.T),
          matmul(all.slice('::-1'), x),
          matmul(all, x, { out: zeros(2 * rows, { dtype, device: flat.device }).slice('::2') }),
          matmul(all, x.reshape(length, 1)),
          matmul(all.slice(':', ':-3'), x.slice(':-3')),
          matmul(all.slice(':', '1:'), x.slice('1:')),
          matmul(all, x.slice('::-1'))
        ];
      };
      const expected = products(there);
      trace.start({ devices: [device] });
      const results = products(here);
      trace.stop();
      for (const [index, result] of results.entries())
        assertSame(result, expected[index]!, `${what}, ${index}`);
      const kernels = trace.read().events.filter(({ kind }) => kind === 'kernel');
      const used = kernels.filter(({ name }) => name === 'multiply').length;
      if (!device.simulated) assert.equal(used, own ? 6 : 0, `kernels for ${what}`);
    }
  });
}

test(
  'more elements than 32-bit indices reach are added, reduced, scanned, taken and transposed',
  { skip: device.simulated },
  () => {
    const count = 2 ** 31 + 4099;
    using bytes = zeros(count, { dtype: 'uint8', device });
    bytes.slice(`${count - 3}:${count - 2}`).fill(7);
    assert.equal(sum(bytes).item(), 7n);
    assert.equal(argmax(bytes).item(), BigInt(count - 3));
    using more = bytes.add(1);
    assert.equal(sum(more).item(), BigInt(count) + 7n);
    using last = take(bytes, array([-3], { dtype: 'int64', device }));
    assert.equal(last.item(0), 7);
    using scanned = cumsum(more, { dtype: 'uint8' });
    // 4099 is 3 beyond a multiple of 256, and the 7 is among the last three elements.
    assert.deepEqual(scanned.slice('-4:').toNested(), [0, 8, 9, 10]);
    using turned = bytes
      .slice(`:${2 ** 31}`)
      .reshape(2 ** 15, 2 ** 16)
      .T.copy();
    assert.equal(turned.any().item(), false);
  }
);
