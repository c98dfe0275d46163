/** The other side of the tests of sharing: a Python process, and arrays to share with it. */

import { arange, empty } from '../../src/array/creation.ts';
import type { NDArray } from '../../src/array/array.ts';
import { devices } from '../../src/core/device.ts';
import { DefaultCUDAMemoryManager, usingMemoryManager } from '../../src/memory/index.ts';
import { emptyShared } from '../../src/sharing/index.ts';
import { pythonOfTests } from '../src/python/environment.ts';
import { PythonPeer } from '../gpu/python-peer.ts';

const simulated = devices().find(device => device.simulated)!;
export const on = { device: simulated } as const;

export let peer: PythonPeer;
let managed: Disposable;

/** One Python process for all tests of the file, and the default manager. */
export function withPythonPeer(): void {
  beforeAll(async () => {
    managed = usingMemoryManager(DefaultCUDAMemoryManager);
    peer = await PythonPeer.start(pythonOfTests);
  });
  afterAll(async () => {
    managed[Symbol.dispose]();
    expect(await peer.exit()).toBe(0);
  });
}

export function under(manager: Parameters<typeof usingMemoryManager>[0]): NDArray {
  using _ = usingMemoryManager(manager);
  // Neighbours, so that the array starts anywhere in its pool.
  using _before = empty(100, on);
  return arange(48, { ...on, dtype: 'float32' }).reshape(6, 8);
}

export function hosted(): NDArray {
  using numbers = arange(48, { ...on, dtype: 'float32' }).reshape(6, 8);
  return emptyShared([6, 8], { ...on, dtype: 'float32' }).copyFrom(numbers);
}

/** Waits until nobody has the lease's array open. */
export async function closed(lease: { release(): void; drained(): Promise<void> }): Promise<void> {
  lease.release();
  await lease.drained();
}
