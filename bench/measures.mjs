/**
 * The measures, in the order of the table, with the same keys for Stridelab and every peer. Times are microseconds per call, host time
 * unless the title says otherwise; rates are GB/s (10^9 bytes, counting the minimum that must be moved) and TFLOP/s.
 */

/**
 * What a row has to reach besides being ahead of every other library.
 * @typedef {object} Goal
 * @property {number} [at] the figure, in the row's unit
 * @property {number} [driver] a factor of the same call on the driver
 * @property {number} [copy] a fraction of the rate at which the driver copies on the device
 */

/**
 * @typedef {object} Measure
 * @property {string} key
 * @property {string} title
 * @property {'us' | 'GB/s' | 'TFLOP/s' | '%'} unit
 * @property {Goal} [goal]
 * @property {string} [limit] why a goal may be missed, and how that was found
 */

/** @param {number} count */
const power = count => `2^${Math.log2(count)}`;

/**
 * The measures of each group; `--only GROUP` of bench/run.mjs chooses groups.
 * @param {Sizes} sizes @returns {Readonly<Record<string, readonly Measure[]>>}
 */
export const groupsOf = ({ elements, side, matmul, batch, host, reduced }) => ({
  calls: [
    { key: 'cai.export', title: 'CAI export', unit: 'us', goal: { at: 0.1 } },
    {
      key: 'cai.import',
      title: 'CAI import of an external object, checked, and drop',
      unit: 'us',
      goal: { at: 0.5 },
      limit: 'the array, its checks and its finalizer: 0.32 us on a simulated device, without any driver'
    },
    { key: 'cai.import.strict', title: 'CAI import checked against the driver, and drop', unit: 'us' },
    {
      key: 'dlpack.export',
      title: 'DLPack export, and drop of the capsule',
      unit: 'us',
      goal: { at: 0.5 },
      limit:
        'a capsule is a native object with a finalizer: 0.25 us on a simulated device, without any driver'
    },
    {
      key: 'dlpack.roundtrip',
      title: 'from_dlpack of an own array, and drop',
      unit: 'us',
      goal: { at: 1.2 }
    },
    {
      key: 'dlpack.capsule',
      title: 'DLPack export to a capsule, import of it, and drop',
      unit: 'us',
      goal: { at: 1.5 }
    },
    { key: 'pool', title: '1 MiB from the pool and back', unit: 'us', goal: { at: 0.4 } },
    { key: 'array', title: 'array of 1 MiB, made and dropped', unit: 'us', goal: { at: 0.8 } },
    { key: 'malloc', title: '1 MiB from the driver and back', unit: 'us' },
    {
      key: 'event',
      title: 'event record and wait',
      unit: 'us',
      goal: { driver: 1.3 },
      limit:
        'two calls from JavaScript into native code, each of which takes 0.1 us more than the same call from C++'
    },
    { key: 'stream.wait', title: 'one stream waits for another', unit: 'us' },
    {
      key: 'stream.synchronize',
      title: 'synchronize an idle stream',
      unit: 'us',
      limit: 'a call from JavaScript into native code takes 0.1 us more than the same call from C++'
    },
    {
      key: 'launch',
      title: 'launch of a compiled kernel with three arrays',
      unit: 'us',
      goal: { driver: 1.2 }
    },
    { key: 'ops.small', title: 'a + b into out, 12 elements', unit: 'us' }
  ],
  operations: [
    { key: 'copy.d2d', title: 'copy on the device, read and written', unit: 'GB/s' },
    { key: 'ops.add', title: `a + b of ${power(elements)} float32`, unit: 'GB/s' },
    { key: 'ops.fused', title: 'a * b + a, fused', unit: 'GB/s' },
    { key: 'ops.exp', title: 'exp(a)', unit: 'GB/s' },
    { key: 'ops.sum', title: `sum of ${power(elements)} float32`, unit: 'GB/s', goal: { copy: 1 } },
    {
      key: 'ops.sum.axis0',
      title: `sum of (4, ${power(elements / 4)}) over axis 0`,
      unit: 'GB/s',
      goal: { copy: 0.97 }
    },
    {
      key: 'ops.transpose',
      title: `copy of a transposed ${side} x ${side} float32`,
      unit: 'GB/s',
      goal: { copy: 0.9 }
    },
    {
      key: 'ops.normal',
      title: 'normal random numbers, float32',
      unit: 'GB/s',
      goal: { copy: 0.95 },
      limit: 'the arithmetic of the numbers: a fill of the same memory by the driver runs at 4,570 GB/s'
    },
    { key: 'ops.add.float16', title: `a + b of ${power(elements)} float16`, unit: 'GB/s' },
    { key: 'ops.add.int8', title: `a + b of ${power(elements)} int8`, unit: 'GB/s' },
    { key: 'ops.sum.float16', title: `sum of ${power(elements)} float16`, unit: 'GB/s' },
    { key: 'ops.sum.int8', title: `sum of ${power(elements)} int8, as int64`, unit: 'GB/s' },
    { key: 'ops.argmax', title: `argmax of ${power(elements)} float32`, unit: 'GB/s' },
    {
      key: 'ops.cumsum',
      title: `cumsum of ${power(elements)} float32`,
      unit: 'GB/s',
      limit:
        'the input is read twice: for the totals of its chunks, then for the sums. A kernel that read it once, in which each block waited for the totals before it, took 1.7 times as long'
    },
    { key: 'ops.any', title: `any of ${power(elements)} bool, all false`, unit: 'GB/s' },
    { key: 'ops.all', title: `all of ${power(elements)} bool, all true`, unit: 'GB/s' },
    { key: 'ops.where', title: `where(mask, a, b) of ${power(elements)} float32`, unit: 'GB/s' },
    { key: 'ops.concatenate', title: `concatenate two of ${power(elements / 2)} float32`, unit: 'GB/s' },
    {
      key: 'ops.take',
      title: `take ${power(elements / 16)} random elements of ${power(elements)}`,
      unit: 'GB/s'
    },
    {
      key: 'ops.take.rows',
      title: `take ${power(elements / 1024)} random rows of 1 KiB`,
      unit: 'GB/s'
    },
    { key: 'ops.strided', title: `a[::2] + b[::2], ${power(elements / 2)} elements used`, unit: 'GB/s' },
    { key: 'ops.broadcast', title: `matrix + row, ${side} x ${side} float32`, unit: 'GB/s' },
    { key: 'ops.add.transposed', title: `a.T + b, ${side} x ${side} float32`, unit: 'GB/s' }
  ],
  products: [
    { key: 'matmul.float32', title: `matmul of ${matmul} x ${matmul} float32`, unit: 'TFLOP/s' },
    { key: 'matmul.bfloat16', title: `matmul of ${matmul} x ${matmul} bfloat16`, unit: 'TFLOP/s' },
    { key: 'matmul.1024.float16', title: 'matmul of 1024 x 1024 float16', unit: 'TFLOP/s' },
    { key: 'matmul.256.float32', title: 'matmul of 256 x 256 float32', unit: 'TFLOP/s' },
    { key: 'matmul.64.float32', title: `${16 * batch} matmuls of 64 x 64 float32, batched`, unit: 'TFLOP/s' },
    {
      key: 'matmul.512.float16',
      title: `${batch} matmuls of 512 x 512 float16, batched`,
      unit: 'TFLOP/s',
      limit:
        'both libraries run the same kernel of cuBLASLt, which reaches 516 TFLOP/s when C++ calls it; in other runs Stridelab was ahead'
    },
    { key: 'matmul.vector', title: `matrix @ vector, ${matmul} x ${matmul} float32`, unit: 'GB/s' },
    { key: 'matmul.host', title: 'matmul of 64 x 64 float32 into out', unit: 'us' }
  ],
  graphs: [
    { key: 'graph.capture', title: '100 a + b of 1024 elements, captured into a graph', unit: 'us' },
    {
      key: 'graph.launch',
      title: 'launch of that graph',
      unit: 'us',
      limit: 'differs between machines: on another one, the same day, 1.65 us where the driver took 2.26'
    },
    { key: 'graph.replay', title: 'run of that graph, device time', unit: 'us' },
    { key: 'graph.without', title: 'the same 100 operations, without a graph, until done', unit: 'us' }
  ],
  transfers: [
    { key: 'copy.h2d.pageable', title: 'host to device, pageable', unit: 'GB/s', goal: { at: 45 } },
    { key: 'copy.d2h.pageable', title: 'device to host, pageable', unit: 'GB/s', goal: { at: 45 } },
    { key: 'copy.h2d.pinned', title: 'host to device, pinned', unit: 'GB/s' },
    { key: 'copy.d2h.pinned', title: 'device to host, pinned', unit: 'GB/s' },
    { key: 'overlap.both', title: 'both directions at once, pinned', unit: 'GB/s' },
    {
      key: 'overlap.pipeline',
      title: 'chunks in, computed and out on three streams: time of the copies alone',
      unit: '%'
    }
  ],
  curves: [],
  several: [
    { key: 'pair.copy', title: `${host / 2 ** 20} MiB from one GPU to another`, unit: 'GB/s' },
    { key: 'pair.both', title: 'both directions at once, between two GPUs', unit: 'GB/s' },
    { key: 'pair.host', title: '4 KiB from one GPU to another', unit: 'us' },
    { key: 'pair.small', title: '4 KiB from one GPU to another, until done', unit: 'us' },
    ...['one', 'each'].flatMap(how => {
      const where = how === 'one' ? 'one process' : 'a process for each GPU';
      const [small = 0, , middle = 0] = reduced;
      const large = reduced.at(-1) ?? 0;
      return /** @type {Measure[]} */ ([
        ...[small, middle].map(exponent => ({
          key: `allreduce.${how}.${exponent}`,
          title: `all-reduce of 2^${exponent} bytes, ${where}`,
          unit: 'us',
          limit:
            how === 'each'
              ? 'the communicator does not block, so NCCL submits each call on a thread of its own'
              : undefined
        })),
        {
          key: `allreduce.${how}.bus.${large}`,
          title: `all-reduce of 2^${large} bytes, ${where}, bus`,
          unit: 'GB/s'
        }
      ]);
    })
  ]
});

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

/**
 * The sizes: smaller ones for the simulated device, which works on the host.
 * @typedef {object} Sizes
 * @property {number} device bytes of a copy on the device
 * @property {number} host bytes of a copy from or to the host
 * @property {number} elements of a vector
 * @property {number} side of a square with as many elements
 * @property {number} matmul side of the largest multiplied matrices
 * @property {number} batch matrices of a batched product
 * @property {readonly number[]} exponents of the curves: 2^n elements
 * @property {number} replayed largest exponent that is timed by replays of a graph: such calls take the device less time than the host
 * @property {readonly number[]} reduced arrays of 2^n bytes that are combined over several devices
 */

/** @param {boolean} simulated @returns {Sizes} */
export function sizesOf(simulated) {
  const exponents = Array.from({ length: 11 }, (_, i) => 10 + 2 * i);
  return simulated
    ? {
        device: 64 * 2 ** 20,
        host: 32 * 2 ** 20,
        elements: 2 ** 24,
        side: 2 ** 12,
        matmul: 512,
        batch: 1,
        exponents: exponents.filter(exponent => exponent <= 22),
        replayed: 0,
        reduced: [12, 16, 20]
      }
    : {
        device: 2 ** 30,
        host: 256 * 2 ** 20,
        elements: 2 ** 28,
        side: 2 ** 14,
        matmul: 8192,
        batch: 64,
        exponents,
        replayed: 24,
        reduced: [12, 16, 20, 24, 28]
      };
}

/** @typedef {keyof typeof curves} Curve */

/** The operations of the curves, with the bytes that they move for each element. */
export const curves = /** @type {const} */ ({
  add: { title: 'a + b', bytes: 12 },
  exp: { title: 'exp(a)', bytes: 8 },
  sum: { title: 'sum(a)', bytes: 4 },
  copy: { title: 'copy', bytes: 8 }
});

/** The kernel that is launched; bench/peers has it in the peers' languages. */
export const ADD = `extern "C" __global__ void add(const float* x, const float* y, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}`;
