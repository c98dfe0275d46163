/** The rows of bench/compute.mjs: the same work for Stridelab, as a function, and for NumPy, as an expression. */
import * as s from 'stridelab';

/** @typedef {import('stridelab').NDArray} NDArray */
/** @typedef {readonly [values: string, dtype: string, shape: readonly number[]]} Made how an array is filled, see values.mjs */
/** @typedef {Record<string, any>} Arrays by the names that both sides use */
/**
 * @typedef {object} Row
 * @property {string} name
 * @property {Record<string, Made>} arrays
 * @property {(x: Arrays) => unknown} ours
 * @property {string} numpy
 * @property {number} [bound] the ratio that counts as met; otherwise 1
 */

const SMALL = 12;
const CACHED = 2 ** 14;
const LARGE = 2 ** 24;
const SIDE = 4096;
/** Elements of functions that take longer than memory. */
const COSTLY = 2 ** 22;
/** OpenBLAS is written in assembly for each processor. */
const BLAS_BOUND = 1 / 1.2;

/** @type {Row[]} */
const rows = [];
/** @param {string} name @param {Record<string, Made>} arrays @param {(x: Arrays) => unknown} ours @param {string} numpy @param {number} [bound] */
function row(name, arrays, ours, numpy, bound) {
  rows.push({ name, arrays, ours, numpy, ...(bound === undefined ? {} : { bound }) });
}

const sizes = /** @type {const} */ ([
  ['2^14', CACHED],
  ['2^24', LARGE]
]);
const NUMBERS = ['float32', 'float64', 'int32', 'int64', 'uint8', 'int8', 'float16', 'complex64'];
/** @param {string} dtype */
const isReal = dtype => dtype !== 'complex64';
/** @param {string} dtype */
const quotient = dtype => (/int/.test(dtype) ? 'float64' : dtype);

for (const [title, count] of sizes) {
  const of = (/** @type {string} */ dtype, values = 'small') =>
    /** @type {Made} */ ([values, dtype, [count]]);
  const elementwise = (
    /** @type {string} */ what,
    /** @type {Record<string, Made>} */ arrays,
    /** @type {(x: Arrays) => unknown} */ ours,
    /** @type {string} */ numpy
  ) => row(`${what}, ${title}`, arrays, ours, numpy);
  for (const dtype of NUMBERS) {
    const two = { a: of(dtype), b: of(dtype), out: of(dtype) };
    elementwise(`add ${dtype}`, two, ({ a, b, out }) => s.add(a, b, { out }), 'np.add(a, b, out=out)');
    elementwise(
      `multiply ${dtype}`,
      two,
      ({ a, b, out }) => s.multiply(a, b, { out }),
      'np.multiply(a, b, out=out)'
    );
    const divided = { a: of(dtype), b: of(dtype, 'positive'), out: of(quotient(dtype)) };
    elementwise(
      `divide ${dtype}`,
      divided,
      ({ a, b, out }) => s.divide(a, b, { out }),
      'np.divide(a, b, out=out)'
    );
    if (isReal(dtype)) {
      const compared = { a: of(dtype), b: of(dtype), out: of('bool') };
      elementwise(
        `less ${dtype}`,
        compared,
        ({ a, b, out }) => s.less(a, b, { out }),
        'np.less(a, b, out=out)'
      );
      elementwise(
        `minimum ${dtype}`,
        two,
        ({ a, b, out }) => s.minimum(a, b, { out }),
        'np.minimum(a, b, out=out)'
      );
    }
  }
  for (const dtype of ['float32', 'float64', 'uint8']) {
    const chosen = { c: of('bool'), a: of(dtype), b: of(dtype) };
    elementwise(`where ${dtype}`, chosen, ({ c, a, b }) => s.where(c, a, b), 'np.where(c, a, b)');
    elementwise(
      `clip ${dtype}`,
      { a: of(dtype), out: of(dtype) },
      ({ a, out }) => s.clip(a, 1, 3, { out }),
      'np.clip(a, 1, 3, out=out)'
    );
  }
  for (const [name, call] of /** @type {const} */ ([
    ['logical_and', s.logicalAnd],
    ['logical_or', s.logicalOr],
    ['logical_not', s.logicalNot]
  ])) {
    const two = { a: of('bool'), b: of('bool'), out: of('bool') };
    const unary = name === 'logical_not';
    elementwise(
      `${name} bool`,
      two,
      ({ a, b, out }) => (unary ? s.logicalNot(a, { out }) : /** @type {any} */ (call)(a, b, { out })),
      `np.${name}(a, ${unary ? '' : 'b, '}out=out)`
    );
  }
  for (const [from, to] of [
    ['float32', 'float64'],
    ['float64', 'float32'],
    ['int32', 'float32'],
    ['float32', 'int32'],
    ['uint8', 'float32'],
    ['float32', 'uint8'],
    ['float16', 'float32'],
    ['float32', 'float16'],
    ['int64', 'float64'],
    ['float64', 'int64'],
    ['int32', 'int64'],
    ['int64', 'int32'],
    ['bool', 'float32'],
    ['float32', 'bool'],
    ['float32', 'complex64']
  ])
    elementwise(`cast ${from} to ${to}`, { a: of(from) }, ({ a }) => s.astype(a, to), `a.astype('${to}')`);
  elementwise(
    'a + b, a new array, float32',
    { a: of('float32'), b: of('float32') },
    ({ a, b }) => s.add(a, b),
    'a + b'
  );
  elementwise('a * 2 + 1, float32', { a: of('float32') }, ({ a }) => s.add(s.multiply(a, 2), 1), 'a * 2 + 1');
}

for (const [title, count] of /** @type {const} */ ([
  ['2^14', CACHED],
  ['2^22', COSTLY]
])) {
  for (const dtype of ['float32', 'float64', 'float16']) {
    const of = (values = 'small') => /** @type {Made} */ ([values, dtype, [count]]);
    for (const name of /** @type {const} */ ([
      'sqrt',
      'exp',
      'log',
      'sin',
      'cos',
      'tanh',
      'floor',
      'expm1',
      'log1p',
      'exp2',
      'log2',
      'arctan',
      'cbrt'
    ])) {
      if (dtype === 'float16' && !['sqrt', 'exp', 'tanh'].includes(name)) continue;
      const values = name.startsWith('log') || name === 'sqrt' ? 'positive' : 'normal';
      const call = name === 'arctan' ? s.atan : s[name];
      row(
        `${name} ${dtype}, ${title}`,
        { a: of(values), out: of() },
        ({ a, out }) => call(a, { out }),
        `np.${name}(a, out=out)`
      );
    }
    if (dtype === 'float16') continue;
    row(
      `power ${dtype}, ${title}`,
      { a: of('positive'), b: of('normal'), out: of() },
      ({ a, b, out }) => s.pow(a, b, { out }),
      'np.power(a, b, out=out)'
    );
    row(
      `arctan2 ${dtype}, ${title}`,
      { a: of('normal'), b: of('normal'), out: of() },
      ({ a, b, out }) => s.atan2(a, b, { out }),
      'np.arctan2(a, b, out=out)'
    );
    row(
      `hypot ${dtype}, ${title}`,
      { a: of('normal'), b: of('normal'), out: of() },
      ({ a, b, out }) => s.hypot(a, b, { out }),
      'np.hypot(a, b, out=out)'
    );
    row(
      `remainder ${dtype}, ${title}`,
      { a: of('normal'), b: of('positive'), out: of() },
      ({ a, b, out }) => s.remainder(a, b, { out }),
      'np.remainder(a, b, out=out)'
    );
  }
  for (const dtype of ['int32', 'int64', 'uint8']) {
    const two = /** @type {Record<string, Made>} */ ({
      a: ['wide', dtype, [count]],
      b: ['positive', dtype, [count]],
      out: ['small', dtype, [count]]
    });
    row(
      `floor_divide ${dtype}, ${title}`,
      two,
      ({ a, b, out }) => s.floorDivide(a, b, { out }),
      'np.floor_divide(a, b, out=out)'
    );
    row(
      `remainder ${dtype}, ${title}`,
      two,
      ({ a, b, out }) => s.remainder(a, b, { out }),
      'np.remainder(a, b, out=out)'
    );
    row(`power ${dtype}, ${title}`, two, ({ a, b, out }) => s.pow(a, b, { out }), 'np.power(a, b, out=out)');
  }
  const complex = /** @type {Made} */ (['normal', 'complex64', [count]]);
  row(`abs complex64, ${title}`, { a: complex }, ({ a }) => s.abs(a), 'np.abs(a)');
  row(`exp complex64, ${title}`, { a: complex }, ({ a }) => s.exp(a), 'np.exp(a)');
}

for (const [title, count, shape, last] of /** @type {const} */ ([
  ['2^14', CACHED, [128, 128], '(128, 128)'],
  ['2^24', LARGE, [SIDE, SIDE], '(4096, 4096)']
])) {
  for (const dtype of NUMBERS) {
    const flat = { a: /** @type {Made} */ (['small', dtype, [count]]) };
    const square = { a: /** @type {Made} */ (['small', dtype, shape]) };
    row(`sum ${dtype}, ${title}`, flat, ({ a }) => s.sum(a), 'a.sum()');
    row(`sum ${dtype}, ${last} over axis 0`, square, ({ a }) => s.sum(a, { axis: 0 }), 'a.sum(0)');
    row(`sum ${dtype}, ${last} over axis 1`, square, ({ a }) => s.sum(a, { axis: 1 }), 'a.sum(1)');
    if (!isReal(dtype)) continue;
    row(`mean ${dtype}, ${title}`, flat, ({ a }) => s.mean(a), 'a.mean()');
    row(`max ${dtype}, ${title}`, flat, ({ a }) => s.max(a), 'a.max()');
    row(`max ${dtype}, ${last} over axis 0`, square, ({ a }) => s.max(a, { axis: 0 }), 'a.max(0)');
    row(`max ${dtype}, ${last} over axis 1`, square, ({ a }) => s.max(a, { axis: 1 }), 'a.max(1)');
    row(`argmax ${dtype}, ${title}`, flat, ({ a }) => s.argmax(a), 'a.argmax()');
    if (dtype === 'float16' || dtype === 'int8') continue;
    row(`argmax ${dtype}, ${last} over axis 0`, square, ({ a }) => s.argmax(a, { axis: 0 }), 'a.argmax(0)');
    row(`argmax ${dtype}, ${last} over axis 1`, square, ({ a }) => s.argmax(a, { axis: 1 }), 'a.argmax(1)');
    row(`prod ${dtype}, ${title}`, flat, ({ a }) => s.prod(a), 'a.prod()');
    row(`cumsum ${dtype}, ${title}`, flat, ({ a }) => s.cumsum(a), 'a.cumsum()');
  }
  const square = { a: /** @type {Made} */ (['small', 'float32', shape]) };
  row(`mean float32, ${last} over axis 1`, square, ({ a }) => s.mean(a, { axis: 1 }), 'a.mean(1)');
  row(`cumsum float32, ${last} along axis 0`, square, ({ a }) => s.cumsum(a, { axis: 0 }), 'a.cumsum(0)');
  row(`cumsum float32, ${last} along axis 1`, square, ({ a }) => s.cumsum(a, { axis: 1 }), 'a.cumsum(1)');
  row(`any bool, all false, ${title}`, { a: ['zero', 'bool', [count]] }, ({ a }) => s.any(a), 'a.any()');
  row(`all bool, all true, ${title}`, { a: ['one', 'bool', [count]] }, ({ a }) => s.all(a), 'a.all()');
  row(`any float32, all zero, ${title}`, { a: ['zero', 'float32', [count]] }, ({ a }) => s.any(a), 'a.any()');
  row(`sum bool, ${title}`, { a: ['small', 'bool', [count]] }, ({ a }) => s.sum(a), 'a.sum()');
}

for (const [title, side] of /** @type {const} */ ([
  ['(128, 128)', 128],
  ['(4096, 4096)', SIDE]
])) {
  for (const dtype of ['float32', 'float64', 'uint8']) {
    const one = { a: /** @type {Made} */ (['small', dtype, [side, side]]) };
    row(`copy ${dtype}, ${title}`, one, ({ a }) => a.copy(), 'a.copy()');
    row(`copy ${dtype}, ${title} transposed`, one, ({ a }) => a.transpose().copy(), 'a.T.copy(order="C")');
    row(
      `copy ${dtype}, ${title} every other column`,
      one,
      ({ a }) => a.slice(null, '::2').copy(),
      'a[:, ::2].copy()'
    );
    row(`copy ${dtype}, ${title} every other row`, one, ({ a }) => a.slice('::2').copy(), 'a[::2].copy()');
    row(
      `copy ${dtype}, ${title} columns reversed`,
      one,
      ({ a }) => a.slice(null, '::-1').copy(),
      'a[:, ::-1].copy()'
    );
  }
  const one = { a: /** @type {Made} */ (['small', 'float32', [side, side]]) };
  const broadcast = /** @type {Record<string, Made>} */ ({
    r: ['small', 'float32', [side]],
    c: ['small', 'float32', [side, 1]],
    m: ['small', 'float32', [side, side]],
    out: ['small', 'float32', [side, side]]
  });
  row(
    `row + column float32, ${title}`,
    broadcast,
    ({ r, c, out }) => s.add(r, c, { out }),
    'np.add(r, c, out=out)'
  );
  row(
    `matrix + row float32, ${title}`,
    broadcast,
    ({ r, m, out }) => s.add(m, r, { out }),
    'np.add(m, r, out=out)'
  );
  row(
    `matrix + column float32, ${title}`,
    broadcast,
    ({ c, m, out }) => s.add(m, c, { out }),
    'np.add(m, c, out=out)'
  );
  row(
    `matrix * 2 float32, ${title}`,
    broadcast,
    ({ m, out }) => s.multiply(m, 2, { out }),
    'np.multiply(m, 2, out=out)'
  );
  row(
    `matrix + transposed float32, ${title}`,
    broadcast,
    ({ m, out }) => s.add(m, m.transpose(), { out }),
    'np.add(m, m.T, out=out)'
  );
  row(
    `add float32, ${title} every other column`,
    broadcast,
    ({ m }) => s.add(m.slice(null, '::2'), m.slice(null, '1::2')),
    'm[:, ::2] + m[:, 1::2]'
  );
  row(
    `add float32, ${title} columns reversed`,
    broadcast,
    ({ m, out }) => s.add(m.slice(null, '::-1'), m, { out }),
    'np.add(m[:, ::-1], m, out=out)'
  );
  row(
    `sum float32, ${title} transposed, over axis 0`,
    one,
    ({ a }) => s.sum(a.transpose(), { axis: 0 }),
    'a.T.sum(0)'
  );
  row(
    `sum float32, ${title} every other column`,
    one,
    ({ a }) => s.sum(a.slice(null, '::2')),
    'a[:, ::2].sum()'
  );
  row(
    `exp float32, ${title} every other column`,
    one,
    ({ a }) => s.exp(a.slice(null, '::2')),
    'np.exp(a[:, ::2])'
  );
  const taken = /** @type {Record<string, Made>} */ ({
    a: ['small', 'float32', [side, side]],
    i: ['position', 'int64', [side]]
  });
  row(
    `take float32, ${side} rows of ${title}`,
    taken,
    ({ a, i }) => s.take(a, i, { axis: 0 }),
    'a.take(i, axis=0)'
  );
  row(
    `take float32, ${side} columns of ${title}`,
    taken,
    ({ a, i }) => s.take(a, i, { axis: 1 }),
    'a.take(i, axis=1)'
  );
  row(
    `concatenate float32, two of ${title}, axis 0`,
    one,
    ({ a }) => s.concatenate([a, a]),
    'np.concatenate([a, a])'
  );
  row(
    `concatenate float32, two of ${title}, axis 1`,
    one,
    ({ a }) => s.concatenate([a, a], { axis: 1 }),
    'np.concatenate([a, a], axis=1)'
  );
  row(
    `stack float32, two of ${title}, axis -1`,
    one,
    ({ a }) => s.stack([a, a], { axis: -1 }),
    'np.stack([a, a], axis=-1)'
  );
}
row(
  'copy float32, (256, 256, 256) as (2, 0, 1)',
  { a: ['small', 'float32', [256, 256, 256]] },
  ({ a }) => a.transpose(2, 0, 1).copy(),
  'a.transpose(2, 0, 1).copy(order="C")'
);
row(
  'take float32, 2^22 of 2^22',
  { a: ['small', 'float32', [COSTLY]], i: ['position', 'int64', [COSTLY]] },
  ({ a, i }) => s.take(a, i),
  'a.take(i)'
);
row('fill float32, 2^24', { a: ['small', 'float32', [LARGE]] }, ({ a }) => a.fill(2), 'a.fill(2)');
row(
  'zeros float32, 2^24',
  {},
  () => s.zeros(LARGE, { dtype: 'float32' }),
  'np.full(16777216, 0, np.float32)'
);
row(
  'arange float32, 2^24',
  {},
  () => s.arange(LARGE, { dtype: 'float32' }),
  'np.arange(16777216, dtype=np.float32)'
);

const random = new s.RandomGenerator(1);
for (const [title, count] of /** @type {const} */ ([
  ['2^14', CACHED],
  ['2^22', COSTLY]
])) {
  for (const dtype of /** @type {const} */ (['float32', 'float64'])) {
    row(
      `random uniform ${dtype}, ${title}`,
      {},
      () => random.uniform(count, { dtype }),
      `rng.random(${count}, dtype=np.${dtype})`
    );
    row(
      `random normal ${dtype}, ${title}`,
      {},
      () => random.normal(count, { dtype }),
      `rng.standard_normal(${count}, dtype=np.${dtype})`
    );
  }
  row(
    `random integers int64, ${title}`,
    {},
    () => random.integers(0, 1000, count),
    `rng.integers(0, 1000, ${count})`
  );
  row(
    `random integers int32, ${title}`,
    {},
    () => random.integers(0, 1000, count, { dtype: 'int32' }),
    `rng.integers(0, 1000, ${count}, dtype=np.int32)`
  );
}

const twelve = /** @type {Record<string, Made>} */ ({
  a: ['small', 'float32', [SMALL]],
  b: ['small', 'float32', [SMALL]],
  out: ['small', 'float32', [SMALL]],
  m: ['small', 'float32', [3, 4]],
  n: ['small', 'float32', [4, 3]]
});
row('a + b, 12 elements', twelve, ({ a, b }) => s.add(a, b), 'a + b');
row('a + b into out, 12 elements', twelve, ({ a, b, out }) => s.add(a, b, { out }), 'np.add(a, b, out=out)');
row('sum, 12 elements', twelve, ({ a }) => s.sum(a), 'a.sum()');
row('mean, 12 elements', twelve, ({ a }) => s.mean(a), 'a.mean()');
row('exp, 12 elements', twelve, ({ a }) => s.exp(a), 'np.exp(a)');
row('copy, 12 elements', twelve, ({ a }) => a.copy(), 'a.copy()');
row('cast to float64, 12 elements', twelve, ({ a }) => s.astype(a, 'float64'), 'a.astype("float64")');
row('where, 12 elements', twelve, ({ a, b }) => s.where(a, a, b), 'np.where(a, a, b)');
row('matmul (3, 4) by (4, 3)', twelve, ({ m, n }) => s.matmul(m, n), 'm @ n');
row('concatenate, two of 12 elements', twelve, ({ a, b }) => s.concatenate([a, b]), 'np.concatenate([a, b])');

for (const dtype of ['float32', 'float64', 'complex64', 'int32', 'int64']) {
  const bound = dtype === 'float64' || dtype === 'float32' || dtype === 'complex64' ? BLAS_BOUND : undefined;
  for (const side of dtype.startsWith('int')
    ? [64, 256]
    : dtype === 'complex64'
      ? [64, 512]
      : [64, 512, 2048]) {
    const two = /** @type {Record<string, Made>} */ ({
      a: ['small', dtype, [side, side]],
      b: ['small', dtype, [side, side]],
      out: ['small', dtype, [side, side]]
    });
    row(
      `matmul ${dtype}, ${side}`,
      two,
      ({ a, b, out }) => s.matmul(a, b, { out }),
      'np.matmul(a, b, out=out)',
      bound
    );
  }
}
for (const dtype of ['float32', 'float64']) {
  for (const [batch, side] of /** @type {const} */ ([
    [1000, 4],
    [1000, 16],
    [256, 64]
  ])) {
    const two = /** @type {Record<string, Made>} */ ({
      a: ['small', dtype, [batch, side, side]],
      b: ['small', dtype, [batch, side, side]]
    });
    row(`matmul ${dtype}, ${batch} of ${side}`, two, ({ a, b }) => s.matmul(a, b), 'a @ b', BLAS_BOUND);
  }
  const vector = /** @type {Record<string, Made>} */ ({
    m: ['small', dtype, [2048, 2048]],
    v: ['small', dtype, [2048]]
  });
  row(`matmul ${dtype}, 2048 by a vector`, vector, ({ m, v }) => s.matmul(m, v), 'm @ v', BLAS_BOUND);
  row(`matmul ${dtype}, a vector by 2048`, vector, ({ m, v }) => s.matmul(v, m), 'v @ m', BLAS_BOUND);
  row(
    `matmul ${dtype}, 512 transposed by 512`,
    { a: ['small', dtype, [512, 512]], b: ['small', dtype, [512, 512]] },
    ({ a, b }) => s.matmul(a.transpose(), b),
    'a.T @ b',
    BLAS_BOUND
  );
}

export { rows };
