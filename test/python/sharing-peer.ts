/** The peer in tests of sharing: a Python process, and arrays to share with it. */

import { DefaultCUDAMemoryManager, usingMemoryManager } from '../../src/memory/index.ts';
import { pythonOfTests } from '../src/python/environment.ts';
import { PythonPeer } from '../gpu/python-peer.ts';

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

/** Waits until no process has the lease's array open. */
export async function closed(lease: { release(): void; drained(): Promise<void> }): Promise<void> {
  lease.release();
  await lease.drained();
}
