/**
 * The flow of docs/data-flow.md: a copy in on one stream, two kernels and a sum on another, a copy out. On a GPU the kernels are CUDA
 * C++, on a simulated device array operations.
 */

import { add, array, asCudaArray, cuda, empty, multiply, Stream, type Device, type NDArray } from 'stridelab';
import { Communicator } from 'stridelab/collectives';

const SOURCE = `
extern "C" __global__ void scale(const float* x, float* y, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
extern "C" __global__ void shift(float* y, float amount, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += amount;
}`;

interface Kernels {
  scale(x: NDArray, y: NDArray, factor: number, stream: Stream): void;
  shift(y: NDArray, amount: number, stream: Stream): void;
}

function compiled(device: Device): Kernels {
  const module = cuda.compile(SOURCE, { device, name: 'flow.cu' });
  const [scale, shift] = [module.function('scale'), module.function('shift')];
  const shape = (count: number, stream: Stream) => ({ grid: Math.ceil(count / 256), block: 256, stream });
  return {
    scale: (x, y, factor, stream) => scale.launch(shape(x.size, stream), x, y, factor, x.size),
    shift: (y, amount, stream) => shift.launch(shape(y.size, stream), y, amount, y.size)
  };
}

function operations(): Kernels {
  return {
    scale: (x, y, factor, stream) => void multiply(x, factor, { out: y, stream }),
    shift: (y, amount, stream) => void add(y, amount, { out: y, stream })
  };
}

export const kernelsOf = (device: Device): Kernels => (device.simulated ? operations() : compiled(device));

/** Streams and arrays of a flow, disposed together. */
export class Flow {
  readonly copies: Stream;
  readonly work: Stream;
  readonly #kernels: Kernels;
  readonly #arrays: NDArray[] = [];

  constructor(device: Device) {
    this.copies = new Stream({ device });
    this.work = new Stream({ device });
    this.#kernels = kernelsOf(device);
  }

  copyIn(values: Float32Array): NDArray {
    return this.#keep(array(values, { dtype: 'float32', stream: this.copies }));
  }

  /** Imports the same memory as a consumer that was told not to wait. */
  withoutWait(x: NDArray): NDArray {
    return this.#keep(
      asCudaArray(
        { __cuda_array_interface__: x.__cuda_array_interface__ },
        { stream: this.work, sync: false }
      )
    );
  }

  /** The sum of 2 x + 1, as an array of one element. */
  compute(x: NDArray): NDArray {
    const y = this.#keep(empty(x.shape, { dtype: 'float32', stream: this.work }));
    this.#kernels.scale(x, y, 2, this.work);
    this.#kernels.shift(y, 1, this.work);
    return this.#keep(y.sum({ stream: this.work }));
  }

  [Symbol.dispose](): void {
    for (const each of this.#arrays) each.dispose();
    this.copies.dispose();
    this.work.dispose();
  }

  #keep(each: NDArray): NDArray {
    this.#arrays.push(each);
    return each;
  }
}

export async function onOneDevice(device: Device, values: Float32Array): Promise<number> {
  using flow = new Flow(device);
  const total = flow.compute(flow.copyIn(values));
  return (await total.toTypedArrayAsync())[0] as number;
}

/** Gives each device a part; an all-reduce adds the sums. */
export async function onSeveralDevices(devices: readonly Device[], values: Float32Array): Promise<number> {
  const flows = devices.map(device => new Flow(device));
  const communicators = Communicator.initAll(devices);
  try {
    const share = values.length / devices.length;
    const parts = flows.map((flow, rank) =>
      flow.compute(flow.copyIn(values.subarray(rank * share, (rank + 1) * share)))
    );
    const totals = Communicator.group(() =>
      communicators.map((communicator, rank) => communicator.allReduce(parts[rank] as NDArray))
    );
    const results = await Promise.all(totals.map(total => total.toTypedArrayAsync()));
    for (const total of totals) total.dispose();
    return results[0]?.[0] as number;
  } finally {
    for (const communicator of communicators) await communicator.destroy();
    for (const flow of flows) flow[Symbol.dispose]();
  }
}
