/**
 * The measures, in the order of the table, with the same keys for Stridelab and every peer. Times are host microseconds per call, rates GB/s
 * (10^9 bytes, counting the minimum that must be moved). With `peer` the budget is that peer's figure in the same run.
 * @typedef {{ key: string, title: string, unit: 'us' | 'GB/s' | 'TFLOP/s', budget?: number, peer?: string }} Measure
 */

/** @type {readonly Measure[]} */
export const measures = [
  { key: 'cai.export', title: 'CAI export', unit: 'us', budget: 0.1 },
  {
    key: 'cai.import',
    title: 'CAI import of an external object, checked, and drop',
    unit: 'us',
    budget: 0.5
  },
  { key: 'cai.import.strict', title: 'CAI import checked against the driver, and drop', unit: 'us' },
  { key: 'dlpack.export', title: 'DLPack export, and drop of the capsule', unit: 'us' },
  {
    key: 'dlpack.roundtrip',
    title: 'from_dlpack of an own array, and drop',
    unit: 'us',
    budget: 1.5
  },
  {
    key: 'dlpack.capsule',
    title: 'DLPack export to a capsule, import of it, and drop',
    unit: 'us',
    budget: 1.5
  },
  { key: 'pool', title: '1 MiB from the pool and back', unit: 'us', budget: 0.4 },
  { key: 'array', title: 'array of 1 MiB, made and dropped', unit: 'us', budget: 1 },
  { key: 'malloc', title: '1 MiB from the driver and back', unit: 'us' },
  { key: 'event', title: 'event record and wait', unit: 'us', budget: 0.5 },
  { key: 'stream.wait', title: 'one stream waits for another', unit: 'us' },
  { key: 'stream.synchronize', title: 'synchronize an idle stream', unit: 'us' },
  { key: 'launch', title: 'launch of a compiled kernel with three arrays', unit: 'us', budget: 4 },
  { key: 'copy.d2d', title: 'copy on the device, read and written', unit: 'GB/s', peer: 'torch' },
  { key: 'ops.add', title: 'a + b of 2^28 float32', unit: 'GB/s', peer: 'torch' },
  { key: 'ops.fused', title: 'a * b + a, fused', unit: 'GB/s', peer: 'cupy' },
  { key: 'ops.exp', title: 'exp(a)', unit: 'GB/s', peer: 'torch' },
  { key: 'ops.sum', title: 'sum of 2^28 float32', unit: 'GB/s', peer: 'torch' },
  { key: 'ops.sum.axis0', title: 'sum of (4, 2^26) over axis 0', unit: 'GB/s', peer: 'torch' },
  { key: 'ops.transpose', title: 'copy of a transposed 16384 x 16384 float32', unit: 'GB/s', peer: 'torch' },
  { key: 'ops.normal', title: 'normal random numbers, float32', unit: 'GB/s', peer: 'torch' },
  { key: 'ops.matmul.float32', title: 'matmul of 8192 x 8192 float32', unit: 'TFLOP/s', peer: 'torch' },
  { key: 'ops.matmul.bfloat16', title: 'matmul of 8192 x 8192 bfloat16', unit: 'TFLOP/s', peer: 'torch' },
  { key: 'ops.small', title: 'a + b into out, 12 elements, host time', unit: 'us' },
  { key: 'copy.h2d.pageable', title: 'host to device, pageable', unit: 'GB/s', budget: 40 },
  { key: 'copy.d2h.pageable', title: 'device to host, pageable', unit: 'GB/s', budget: 40 },
  { key: 'copy.h2d.pinned', title: 'host to device, pinned', unit: 'GB/s' },
  { key: 'copy.d2h.pinned', title: 'device to host, pinned', unit: 'GB/s' }
];

/** Names of Stridelab and the peers in the table. @type {Readonly<Record<string, string>>} */
export const columns = {
  stridelab: 'Stridelab',
  driver: 'C++ on the driver',
  cupy: 'CuPy',
  torch: 'PyTorch',
  numba: 'Numba',
  'cuda.core': 'cuda.core',
  numpy: 'NumPy'
};

/** Returns the bytes of the copies: fewer on the simulated device, which copies on the host. @param {boolean} simulated */
export function copySizes(simulated) {
  return simulated ? { device: 64 * 2 ** 20, host: 32 * 2 ** 20 } : { device: 2 ** 30, host: 256 * 2 ** 20 };
}

/** Returns the number of elements of vectors, the side of a square with as many elements, and the side of multiplied matrices. @param {boolean} simulated */
export function operationSizes(simulated) {
  return simulated
    ? { elements: 2 ** 24, side: 2 ** 12, matmul: 512 }
    : { elements: 2 ** 28, side: 2 ** 14, matmul: 8192 };
}

/** The kernel that is launched; bench/peers has it in the peers' languages. */
export const ADD = `extern "C" __global__ void add(const float* x, const float* y, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}`;
