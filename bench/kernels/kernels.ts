/** The kernels that are measured, in the language of kernels. bench/kernels/cuda.mjs has each in CUDA C++, peers.py in Python. */

import { cuda, f32, f64, i32, type DeviceArray } from 'stridelab';

export const saxpy = cuda.kernel((x: Readonly<DeviceArray<f32>>, y: DeviceArray<f32>, a: f32) => {
  const i = cuda.grid(1);
  if (i < y.length) y[i] = a * x[i]! + y[i]!;
});

export const stencil = cuda.kernel((x: Readonly<DeviceArray<f32>>, y: DeviceArray<f32>, k: f32) => {
  const i = cuda.grid(1);
  if (i > 0 && i < y.length - 1) y[i] = k * (x[i - 1]! + x[i]! + x[i + 1]!);
});

export const transpose = cuda.kernel((x: Readonly<DeviceArray<f32, 2>>, y: DeviceArray<f32, 2>) => {
  const tile = cuda.shared(f32, 32, 33);
  const tx = cuda.threadIdx.x;
  const ty = cuda.threadIdx.y;
  const column = cuda.blockIdx.x * 32 + tx;
  const row = cuda.blockIdx.y * 32 + ty;
  for (let j = 0; j < 32; j += 8)
    if (row + j < x.shape[0]! && column < x.shape[1]!) tile[ty + j]![tx] = x[row + j]![column]!;
  cuda.syncThreads();
  const newColumn = cuda.blockIdx.y * 32 + tx;
  const newRow = cuda.blockIdx.x * 32 + ty;
  for (let j = 0; j < 32; j += 8)
    if (newRow + j < y.shape[0]! && newColumn < y.shape[1]!) y[newRow + j]![newColumn] = tile[tx]![ty + j]!;
});

const TILE = 32;

export const matmul = cuda.kernel(
  (a: Readonly<DeviceArray<f32, 2>>, b: Readonly<DeviceArray<f32, 2>>, c: DeviceArray<f32, 2>) => {
    const left = cuda.shared(f32, TILE, TILE);
    const right = cuda.shared(f32, TILE, TILE);
    const tx = cuda.threadIdx.x;
    const ty = cuda.threadIdx.y;
    const column = cuda.blockIdx.x * TILE + tx;
    const row = cuda.blockIdx.y * TILE + ty;
    let sum: f32 = 0;
    for (let k = 0; k < a.shape[1]!; k += TILE) {
      left[ty]![tx] = a[row]![k + tx]!;
      right[ty]![tx] = b[k + ty]![column]!;
      cuda.syncThreads();
      for (let j = 0; j < TILE; j++) sum += left[ty]![j]! * right[j]![tx]!;
      cuda.syncThreads();
    }
    c[row]![column] = sum;
  }
);

export const blockSum = cuda.kernel((x: Readonly<DeviceArray<f32>>, out: DeviceArray<f32>) => {
  const partial = cuda.shared(f32, 32);
  const t = cuda.threadIdx.x;
  let sum: f32 = 0;
  const step = cuda.gridSize(1);
  for (let i = cuda.grid(1); i < x.length; i += step) sum += x[i]!;
  for (let distance = 16; distance > 0; distance = distance >> 1) sum += cuda.shflDown(sum, distance);
  if (cuda.laneId === 0) partial[t >> 5] = sum;
  cuda.syncThreads();
  if (t < 32) {
    sum = t < cuda.blockDim.x >> 5 ? partial[t]! : 0;
    for (let distance = 16; distance > 0; distance = distance >> 1) sum += cuda.shflDown(sum, distance);
    if (t === 0) cuda.atomicAdd(out, 0, sum);
  }
});

export const histogram = cuda.kernel((x: Readonly<DeviceArray<i32>>, bins: DeviceArray<i32>) => {
  const own = cuda.shared(i32, 256);
  const t = cuda.threadIdx.x;
  own[t] = 0;
  cuda.syncThreads();
  const step = cuda.gridSize(1);
  for (let i = cuda.grid(1); i < x.length; i += step) cuda.atomicAdd(own, x[i]! & 255, 1);
  cuda.syncThreads();
  cuda.atomicAdd(bins, t, own[t]);
});

export const mandelbrot = cuda.kernel((out: DeviceArray<i32, 2>, rounds: i32) => {
  const [column, row] = cuda.grid(2);
  if (row >= out.shape[0]! || column >= out.shape[1]!) return;
  const cx = -2 + (3 * f64(column)) / out.shape[1]!;
  const cy = -1.5 + (3 * f64(row)) / out.shape[0]!;
  let x: f64 = 0;
  let y: f64 = 0;
  let n = 0;
  while (n < rounds && x * x + y * y <= 4) {
    const next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    n++;
  }
  out[row]![column] = n;
});

function normal(d: f32): f32 {
  return 0.5 * (1 + cuda.erf(d * 0.70710678));
}

export const blackScholes = cuda.kernel(
  (
    price: Readonly<DeviceArray<f32>>,
    strike: Readonly<DeviceArray<f32>>,
    years: Readonly<DeviceArray<f32>>,
    call: DeviceArray<f32>,
    rate: f32,
    volatility: f32
  ) => {
    const i = cuda.grid(1);
    if (i >= call.length) return;
    const s = price[i]!;
    const k = strike[i]!;
    const t = years[i]!;
    const root = Math.sqrt(t);
    const d1 = (Math.log(s / k) + (rate + 0.5 * volatility * volatility) * t) / (volatility * root);
    const d2 = d1 - volatility * root;
    call[i] = s * normal(d1) - k * Math.exp((0 - rate) * t) * normal(d2);
  }
);

export const bodies = cuda.kernel(
  (position: Readonly<DeviceArray<f32, 2>>, force: DeviceArray<f32, 2>, softening: f32) => {
    const px = cuda.shared(f32, 256);
    const py = cuda.shared(f32, 256);
    const pz = cuda.shared(f32, 256);
    const pm = cuda.shared(f32, 256);
    const i = cuda.grid(1);
    const t = cuda.threadIdx.x;
    const x = position[0]![i]!;
    const y = position[1]![i]!;
    const z = position[2]![i]!;
    let fx: f32 = 0;
    let fy: f32 = 0;
    let fz: f32 = 0;
    for (let first = 0; first < position.shape[1]!; first += 256) {
      px[t] = position[0]![first + t]!;
      py[t] = position[1]![first + t]!;
      pz[t] = position[2]![first + t]!;
      pm[t] = position[3]![first + t]!;
      cuda.syncThreads();
      for (let j = 0; j < 256; j++) {
        const dx = px[j]! - x;
        const dy = py[j]! - y;
        const dz = pz[j]! - z;
        const r = cuda.rsqrt(dx * dx + dy * dy + dz * dz + softening);
        const f = pm[j]! * r * r * r;
        fx += f * dx;
        fy += f * dy;
        fz += f * dz;
      }
      cuda.syncThreads();
    }
    force[0]![i] = fx;
    force[1]![i] = fy;
    force[2]![i] = fz;
  }
);

/** Does nothing with its three arrays: the cost of a launch. */
export const nothing = cuda.kernel((x: DeviceArray<f32>, y: DeviceArray<f32>, z: DeviceArray<f32>) => {
  const i = cuda.grid(1);
  if (i < 0) {
    x[0] = 0;
    y[0] = 0;
    z[0] = 0;
  }
});
