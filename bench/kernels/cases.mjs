/** What is launched for each kernel: shapes, arguments, and the bytes or operations that give its rate. */
import { arange, empty, RandomGenerator, zeros } from 'stridelab';

/**
 * @typedef {{ name: string, shape: object, arrays: object[], scalars: unknown[], lengths: number[], amount: number, unit: string }} Case
 * `amount` is in 10^9 of `unit` per launch.
 */

/** @param {string} device @param {number} scale 1 for a GPU; smaller for a simulated device @returns {Case[]} */
export function cases(device, scale) {
  const on = { device };
  const random = new RandomGenerator(1);
  const uniform = (/** @type {number[]} */ shape) => random.uniform(shape, { dtype: 'float32', ...on });
  const n = Math.round(2 ** 26 * scale);
  const side = Math.round((8192 * Math.sqrt(scale)) / 32) * 32;
  const product = Math.round((2048 * Math.cbrt(scale)) / 32) * 32;
  const count = Math.round((65536 * Math.sqrt(scale)) / 256) * 256;
  const picture = Math.round((4096 * Math.sqrt(scale)) / 16) * 16;
  const flat = { grid: Math.ceil(n / 256), block: 256 };
  const few = { grid: Math.min(2048, Math.ceil(n / 256)), block: 256 };
  const x = uniform([n]);
  const y = uniform([n]);
  const f32 = (/** @type {number[]} */ ...shape) => empty(shape, { dtype: 'float32', ...on });
  return [
    {
      name: 'saxpy',
      shape: flat,
      arrays: [x, y],
      scalars: [2.5],
      lengths: [n],
      amount: (12 * n) / 1e9,
      unit: 'GB/s'
    },
    {
      name: 'stencil',
      shape: flat,
      arrays: [x, y],
      scalars: [1 / 3],
      lengths: [n],
      amount: (8 * n) / 1e9,
      unit: 'GB/s'
    },
    {
      name: 'transpose',
      shape: { grid: [side / 32, side / 32], block: [32, 8] },
      arrays: [uniform([side, side]), f32(side, side)],
      scalars: [],
      lengths: [side, side],
      amount: (8 * side * side) / 1e9,
      unit: 'GB/s'
    },
    {
      name: 'matmul',
      shape: { grid: [product / 32, product / 32], block: [32, 32] },
      arrays: [uniform([product, product]), uniform([product, product]), f32(product, product)],
      scalars: [],
      lengths: [product, product],
      amount: (2 * product ** 3) / 1e9,
      unit: 'GFLOP/s'
    },
    {
      name: 'blockSum',
      shape: few,
      arrays: [x, zeros([1], { dtype: 'float32', ...on })],
      scalars: [],
      lengths: [n],
      amount: (4 * n) / 1e9,
      unit: 'GB/s'
    },
    {
      name: 'histogram',
      shape: few,
      arrays: [
        random.integers(0, 1 << 20, [n], { dtype: 'int32', ...on }),
        zeros([256], { dtype: 'int32', ...on })
      ],
      scalars: [],
      lengths: [n],
      amount: (4 * n) / 1e9,
      unit: 'GB/s'
    },
    {
      name: 'mandelbrot',
      shape: { grid: [picture / 16, picture / 16], block: [16, 16] },
      arrays: [empty([picture, picture], { dtype: 'int32', ...on })],
      scalars: [200],
      lengths: [picture, picture],
      amount: (picture * picture) / 1e9,
      unit: 'G pixels/s'
    },
    {
      name: 'blackScholes',
      shape: flat,
      arrays: [x.multiply(90).add(10), y.multiply(90).add(10), uniform([n]).add(0.25), f32(n)],
      scalars: [0.02, 0.3],
      lengths: [n],
      amount: n / 1e9,
      unit: 'G options/s'
    },
    {
      name: 'bodies',
      shape: { grid: count / 256, block: 256 },
      arrays: [uniform([4, count]), f32(3, count)],
      scalars: [0.01],
      lengths: [count],
      amount: (20 * count * count) / 1e9,
      unit: 'GFLOP/s'
    }
  ];
}

/** @param {string} device */
export const three = device => [0, 1, 2].map(() => arange(256, { dtype: 'float32', device }));
