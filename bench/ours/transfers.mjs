/** Copies between host and device: each direction alone, both at once, and overlapped with kernels. */
import { add, asCudaArray, empty, full, Stream } from 'stridelab';
import { memhostalloc } from 'stridelab/memory';

/** @typedef {import('./timing.mjs').Timing} Timing */
/** @typedef {import('../measures.mjs').Sizes} Sizes */

const CHUNKS = 32;
const WARM_UP = 20;
/** Kernels of a chunk. */
const KERNELS = 8;

/** @param {Timing} timing @param {Sizes} sizes */
export function transfers(timing, sizes) {
  const { device, stream } = timing;
  const target = full(sizes.host, 1, { dtype: 'uint8', stream });
  const pageable = new Uint8Array(sizes.host).fill(1);
  const pinned = memhostalloc(sizes.host, { device });
  const pages = /** @type {const} */ ([
    ['pageable', pageable],
    ['pinned', new Uint8Array(pinned.buffer).fill(1)]
  ]);
  for (const [kind, bytes] of pages) {
    const toDevice = () => (target.storage.writeFromHost(0, bytes, stream), stream.synchronize());
    timing.rate(`copy.h2d.${kind}`, sizes.host, () => timing.blocking(toDevice));
    const toHost = () => target.storage.readToHost(0, bytes, stream);
    timing.rate(`copy.d2h.${kind}`, sizes.host, () => timing.blocking(toHost));
  }
  overlap(timing, sizes);
}

/** An array over pinned memory, whose copies do not wait. @param {import('stridelab/memory').HostMemory} memory @param {Stream} stream */
const pinnedArray = (memory, stream) =>
  asCudaArray(
    {
      __cuda_array_interface__: {
        shape: [memory.size / 4],
        typestr: '<f4',
        data: [memory.pointer, false],
        version: 3,
        strides: null
      },
      memory
    },
    { stream }
  );

/** @param {Timing} timing @param {Sizes} sizes */
function overlap(timing, sizes) {
  const { device } = timing;
  const [into, compute, back] = Array.from({ length: 3 }, () => new Stream({ device }));
  const source = pinnedArray(memhostalloc(sizes.host, { device }), into);
  const results = pinnedArray(memhostalloc(sizes.host, { device }), back);
  source.fill(1);
  const length = sizes.host / 4 / CHUNKS;
  const chunks = Array.from(
    { length: CHUNKS },
    (_, i) => /** @type {const} */ ([i * length, (i + 1) * length])
  );
  const inputs = chunks.map(() => empty(length, { dtype: 'float32', stream: into }));
  const outputs = chunks.map(() => empty(length, { dtype: 'float32', stream: compute }));
  const sources = chunks.map(range => source.slice(range));
  const targets = chunks.map(range => results.slice(range));
  const enter = (/** @type {number} */ i) => inputs[i].copyFrom(sources[i], { stream: into });
  const work = (/** @type {number} */ i) => {
    for (let k = 0; k < KERNELS; k++) add(inputs[i], 1, { out: outputs[i], stream: compute });
  };
  const leave = (/** @type {number} */ i) => targets[i].copyFrom(outputs[i], { stream: back });
  /** Microseconds of some steps for all chunks. @param {((i: number) => unknown)[]} steps */
  const time = steps =>
    timing.blocking(
      () => {
        for (let i = 0; i < CHUNKS; i++) for (const step of steps) step(i);
        device.synchronize();
      },
      7,
      WARM_UP
    );
  // Copies of different chunks, so that nothing orders the two directions.
  const both = time([enter, leave]);
  timing.rate('overlap.both', 2 * sizes.host, () => both);
  timing.put('overlap.pipeline', () => (100 * both) / time([enter, work, leave]));
}
