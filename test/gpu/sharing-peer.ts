/** The other process of sharing.test.ts: runs the steps that it receives, on the same device. */

import { array as arrayOf, empty, Stream, zeros, type NDArray } from 'stridelab';
import { IpcPoolMemoryManager, usingMemoryManager, VirtualMemoryManager } from 'stridelab/memory';
import { openShared, share, type Lease } from 'stridelab/sharing';

import { device, LARGE, on } from './device.ts';

export interface Request {
  readonly number: number;
  readonly step: keyof typeof steps;
  readonly token: string;
}

let held: NDArray | undefined;
const leases: Lease[] = [];

/** Enough copies that work queued behind them is still pending when the call that submitted it returns. */
function delay(stream: Stream): void {
  using from = zeros(LARGE, { dtype: 'uint8', stream });
  using to = empty(LARGE, { dtype: 'uint8', stream });
  for (let i = 0; i < 200; i++) to.copyFrom(from);
}

const steps = {
  /** Reads the contents, then writes 6.5 everywhere. */
  exchange: async (token: string): Promise<unknown> => {
    using array = await openShared(token);
    const seen = array.toNested();
    array.fill(6.5);
    return { seen, device: array.device.label, kind: array.storage.kind };
  },
  /** First, middle and last value, as read by a non-default stream. */
  look: async (token: string): Promise<unknown> => {
    using stream = new Stream(on);
    using array = await openShared(token, { stream });
    using copy = array.copy({ stream });
    return [0, copy.size >> 1, copy.size - 1].map(index => copy.item(index));
  },
  /** Writes 9 behind much other work, and releases the array immediately. */
  writeLate: async (token: string): Promise<unknown> => {
    const stream = new Stream(on);
    const array = await openShared(token, { stream });
    delay(stream);
    array.fill(9, { stream });
    array.dispose();
    return 'submitted';
  },
  hold: async (token: string): Promise<unknown> => {
    held = await openShared(token);
    return held.size;
  },
  /** Opens the array twice, and reads through one after releasing the other. */
  twice: async (token: string): Promise<unknown> => {
    using second = await openShared(token);
    const first = await openShared(token);
    first.fill(4);
    first.stream.synchronize();
    first.dispose();
    using copy = second.copy();
    return copy.reshape(-1).item(0);
  },
  /** Shares memory of each kind from here; returns the token. */
  share: async (way: string): Promise<unknown> => {
    using _ =
      way === 'pool'
        ? usingMemoryManager(IpcPoolMemoryManager)
        : way === 'vmm'
          ? usingMemoryManager(VirtualMemoryManager)
          : null;
    const made = arrayOf([1, 2, 3, 4], { ...on, dtype: 'float32' });
    const lease = await share(made);
    leases.push(lease);
    return String(lease);
  }
};

process.on('message', ({ number, step, token }: Request) => {
  steps[step](token).then(
    value => process.send?.({ number, value }),
    (error: Error) => process.send?.({ number, failure: `${error.name}: ${error.message}` })
  );
});
process.send?.({ number: 0, value: device.label });
