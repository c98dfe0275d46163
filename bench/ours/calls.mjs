/** Host time of small calls. Each part runs in its own process, because code that has run many kinds of calls is slower. */
import { add, arange, asCudaArray, cuda, empty, Event, fromDlpack, Stream } from 'stridelab';
import {
  BestFitPoolMemoryManager,
  currentManager,
  DefaultCUDAMemoryManager,
  usingMemoryManager
} from 'stridelab/memory';
import { ADD } from '../measures.mjs';

/** @typedef {import('./timing.mjs').Timing} Timing */

const MEBI = 2 ** 20;

/** @type {Readonly<Record<string, (timing: Timing) => Promise<void>>>} */
export const calls = {
  async exchange(timing) {
    const { stream } = timing;
    const array = arange(12, { dtype: 'float32', stream }).reshape(3, 4);
    stream.synchronize();
    await timing.host('cai.export', () => array.__cuda_array_interface__);
    await timing.host('dlpack.export', () => array.__dlpack__({ stream, maxVersion: [1, 1] }));
    await timing.host('dlpack.roundtrip', () => fromDlpack(array).dispose());
    await timing.host('dlpack.capsule', () =>
      fromDlpack(array.__dlpack__({ stream, maxVersion: [1, 1] })).dispose()
    );
  },
  async imports(timing) {
    const { stream } = timing;
    const array = arange(12, { dtype: 'float32', stream }).reshape(3, 4);
    const foreign = { __cuda_array_interface__: array.__cuda_array_interface__ };
    stream.synchronize();
    await timing.host('cai.import', () => asCudaArray(foreign, { stream }).dispose());
    await timing.host('cai.import.strict', () =>
      asCudaArray(foreign, { stream, validate: 'strict' }).dispose()
    );
  },
  async pool(timing) {
    const { device, stream } = timing;
    using _scope = usingMemoryManager(BestFitPoolMemoryManager);
    const manager = currentManager(device);
    await timing.host('pool', () => manager.memalloc(MEBI).free());
    await timing.host('array', () => empty(MEBI, { dtype: 'uint8', stream }).dispose());
  },
  async malloc(timing) {
    using _scope = usingMemoryManager(DefaultCUDAMemoryManager);
    const manager = currentManager(timing.device);
    await timing.host('malloc', () => manager.memalloc(MEBI).free());
  },
  async streams(timing) {
    const { device, stream } = timing;
    const other = new Stream({ device });
    const event = new Event({ device, timing: false });
    await timing.host('event', () => (stream.record(event), other.wait(event)));
    await timing.host('stream.wait', () => other.wait(stream));
    stream.synchronize();
    await timing.host('stream.synchronize', () => stream.synchronize());
  },
  async launches(timing) {
    const { device, stream } = timing;
    if (device.simulated) return; // it runs no CUDA C++
    const kernel = cuda.compile(ADD, { device }).function('add');
    const [x, y, out] = Array.from({ length: 3 }, () => empty(256, { dtype: 'float32', stream }));
    const options = { grid: 1, block: 256, stream };
    await timing.host('launch', () => kernel.launch(options, x, y, out, 256));
  },
  async small(timing) {
    const on = /** @type {const} */ ({ dtype: 'float32', stream: timing.stream });
    const few = arange(12, on);
    const sums = empty(12, on);
    await timing.host('ops.small', () => add(few, few, { out: sums }));
  }
};
