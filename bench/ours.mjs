/**
 * Stridelab's figures: `node bench/ours.mjs DEVICE GROUP` measures one group and prints its figures as JSON. Each group has its
 * own process, as in programs: code that has run many kinds of calls is slower.
 */
import { arange, devices, empty, Event, fromDlpack, Stream } from 'stridelab';
import {
  BestFitPoolMemoryManager,
  currentManager,
  DefaultCUDAMemoryManager,
  memhostalloc,
  usingMemoryManager
} from 'stridelab/memory';
import { ADD, copySizes, operationSizes } from './measures.mjs';

const [, , label, group] = process.argv;
const device = devices().find(candidate => candidate.label === label);
if (device === undefined) throw new Error(`no device ${label}`);
const stream = new Stream({ device });
const MEBI = 2 ** 20;
/** @type {Record<string, number>} */
const figures = {};

/** @param {number[]} values */
const median = values => values.sort((x, y) => x - y)[values.length >> 1] ?? NaN;

/** Microseconds of `batch` calls, without the work that is still pending on the device. @param {number} batch @param {() => unknown} call */
function once(batch, call) {
  const start = process.hrtime.bigint();
  for (let i = 0; i < batch; i++) call();
  const elapsed = Number(process.hrtime.bigint() - start) / 1000;
  device?.synchronize();
  return elapsed;
}

/** Number of warm-up batches: V8 compiles hot code in several steps. */
const WARM_UP = 20;

/** Median of 15 batches, each with a pause in which the event loop turns. @param {string} key @param {() => unknown} call */
async function time(key, call) {
  const batch = 2000;
  for (let i = 0; i < WARM_UP; i++) once(batch, call);
  /** @type {number[]} */
  const runs = [];
  for (let i = 0; i < 15; i++) {
    await new Promise(resolve => setImmediate(resolve));
    runs.push(once(batch, call) / batch);
  }
  figures[key] = median(runs);
}

/** Median of 7 runs. @param {string} key @param {number} bytes moved by a call @param {() => unknown} call which waits for the copy */
function rate(key, bytes, call) {
  once(1, call);
  const runs = Array.from({ length: 7 }, () => once(1, call));
  figures[key] = bytes / median(runs) / 1000;
}

/** Median rate of 15 calls, by the device's clock. @param {string} key @param {number} amount of a call @param {() => unknown} call */
function deviceRate(key, amount, call) {
  const [start, end] = [new Event({ device }), new Event({ device })];
  /** @type {number[]} */
  const runs = [];
  for (let run = 0; run < 18; run++) {
    stream.record(start);
    const began = process.hrtime.bigint();
    call();
    stream.record(end);
    end.synchronize();
    // A simulated device has only virtual time, so it is measured with the host's clock.
    const host = Number(process.hrtime.bigint() - began) / 1e6;
    if (run > 2) runs.push(device?.simulated ? host : end.elapsedSince(start));
  }
  figures[key] = amount / median(runs) / 1e6;
}

/** @type {Readonly<Record<string, () => Promise<void> | void>>} */
const groups = {
  async exchange() {
    const array = arange(12, { dtype: 'float32', stream }).reshape(3, 4);
    stream.synchronize();
    await time('cai.export', () => array.__cuda_array_interface__);
    await time('dlpack.export', () => array.__dlpack__({ stream, maxVersion: [1, 1] }));
    await time('dlpack.roundtrip', () => fromDlpack(array).dispose());
    await time('dlpack.capsule', () =>
      fromDlpack(array.__dlpack__({ stream, maxVersion: [1, 1] })).dispose()
    );
  },
  async imports() {
    // Imported dynamically, so that older versions without it still have the other figures.
    const { asCudaArray } = await import('stridelab');
    const array = arange(12, { dtype: 'float32', stream }).reshape(3, 4);
    const foreign = { __cuda_array_interface__: array.__cuda_array_interface__ };
    stream.synchronize();
    await time('cai.import', () => asCudaArray(foreign, { stream }).dispose());
    await time('cai.import.strict', () => asCudaArray(foreign, { stream, validate: 'strict' }).dispose());
  },
  async pool() {
    using _scope = usingMemoryManager(BestFitPoolMemoryManager);
    const manager = currentManager(device);
    await time('pool', () => manager.memalloc(MEBI).free());
    await time('array', () => empty(MEBI, { dtype: 'uint8', stream }).dispose());
  },
  async malloc() {
    using _scope = usingMemoryManager(DefaultCUDAMemoryManager);
    const manager = currentManager(device);
    await time('malloc', () => manager.memalloc(MEBI).free());
  },
  async streams() {
    const other = new Stream({ device });
    const event = new Event({ device, timing: false });
    await time('event', () => (stream.record(event), other.wait(event)));
    await time('stream.wait', () => other.wait(stream));
    stream.synchronize();
    await time('stream.synchronize', () => stream.synchronize());
  },
  async operations() {
    const { add, arange, cuda, empty, exp, RandomGenerator } = await import('stridelab');
    const { sum, matmul } = await import('stridelab');
    // The peers use pools too.
    using _scope = usingMemoryManager(BestFitPoolMemoryManager);
    const sizes = operationSizes(device.simulated);
    const on = /** @type {const} */ ({ dtype: 'float32', stream });
    const count = sizes.elements;
    const random = new RandomGenerator(1);
    const [a, b] = [random.uniform(count, on), random.uniform(count, on)];
    const out = empty(count, on);
    const bytes = 4 * count;
    const fused = cuda.map((/** @type {number} */ x, /** @type {number} */ y) => x * y + x);
    deviceRate('ops.add', 3 * bytes, () => add(a, b, { out }));
    deviceRate('ops.fused', 3 * bytes, () => fused(a, b, { out }));
    deviceRate('ops.exp', 2 * bytes, () => exp(a, { out }));
    deviceRate('ops.sum', bytes, () => sum(a).dispose());
    const rows = a.reshape(4, count / 4);
    deviceRate('ops.sum.axis0', bytes + bytes / 4, () => sum(rows, { axis: 0 }).dispose());
    const square = a.reshape(sizes.side, sizes.side);
    const target = out.reshape(sizes.side, sizes.side);
    deviceRate('ops.transpose', 2 * bytes, () => target.copyFrom(square.T));
    deviceRate('ops.normal', bytes, () => random.normal(count, on).dispose());
    const n = sizes.matmul;
    for (const dtype of /** @type {const} */ (['float32', 'bfloat16'])) {
      const x = random.normal([n, n], on).astype(dtype);
      const y = random.normal([n, n], on).astype(dtype);
      const z = empty([n, n], { dtype, stream });
      deviceRate(`ops.matmul.${dtype}`, (2 * n ** 3) / 1000, () => matmul(x, y, { out: z }));
    }
    const few = arange(12, on);
    const sums = empty(12, on);
    await time('ops.small', () => add(few, few, { out: sums }));
  },
  async launches() {
    if (device.simulated) return; // which runs no kernels
    // Imported dynamically, so that older versions without it still have the other figures.
    const { cuda } = await import('stridelab');
    const add = cuda.compile(ADD, { device }).function('add');
    const [x, y, out] = Array.from({ length: 3 }, () => empty(256, { dtype: 'float32', stream }));
    const options = { grid: 1, block: 256, stream };
    await time('launch', () => add.launch(options, x, y, out, 256));
  },
  copies() {
    const sizes = copySizes(device.simulated);
    const source = empty(sizes.device, { dtype: 'uint8', stream }).fill(1);
    const target = empty(sizes.device, { dtype: 'uint8', stream });
    if (device.simulated) {
      rate('copy.d2d', 2 * sizes.device, () => (target.copyFrom(source), stream.synchronize()));
    } else {
      const [start, end] = [new Event({ device }), new Event({ device })];
      const runs = Array.from({ length: 16 }, () => {
        stream.record(start);
        target.copyFrom(source);
        stream.record(end);
        end.synchronize();
        return end.elapsedSince(start);
      }).slice(1);
      figures['copy.d2d'] = (2 * sizes.device) / median(runs) / 1e6;
    }
    const pageable = new Uint8Array(sizes.host).fill(1);
    const pinned = memhostalloc(sizes.host, { device });
    const pages = /** @type {const} */ ([
      ['pageable', pageable],
      ['pinned', new Uint8Array(pinned.buffer)]
    ]);
    for (const [kind, bytes] of pages) {
      const toDevice = () => (target.storage.writeFromHost(0, bytes, stream), stream.synchronize());
      rate(`copy.h2d.${kind}`, sizes.host, toDevice);
      rate(`copy.d2h.${kind}`, sizes.host, () => target.storage.readToHost(0, bytes, stream));
    }
  }
};

const run = groups[group ?? ''];
if (run === undefined) console.log(JSON.stringify(Object.keys(groups)));
else {
  await run();
  console.log(JSON.stringify(figures));
}
