/** Support for tests of sharing with Python on a GPU: the processes, the features of their libraries, arrays to share. */

import { execFileSync } from 'node:child_process';
import { after, before, type TestContext } from 'node:test';
import { arange, DriverError, zeros, type NDArray } from 'stridelab';
import { usingMemoryManager, type MemoryManagerClass } from 'stridelab/memory';
import { type Lease } from 'stridelab/sharing';
import { device, on } from './device.ts';
import { PythonPeer } from './python-peer.ts';

const python = process.env['STRIDELAB_PYTHON'] ?? 'python3';

/** Libraries that this Python can import and use on the GPU; empty without Python. */
export const libraries: ReadonlySet<string> = new Set(
  device.simulated ? [] : probe('["numpy", "torch", "cupy", "numba", "jax"]')
);

function probe(names: string): string[] {
  const code = `import importlib.util as u, json; print(json.dumps([n for n in ${names} if u.find_spec(n)]))`;
  try {
    return JSON.parse(execFileSync(python, ['-c', code], { encoding: 'utf8' })) as string[];
  } catch {
    return [];
  }
}

/** For `skip`: false if all of them are installed. */
export function without(...names: string[]): string | false {
  const missing = names.filter(name => !libraries.has(name));
  return missing.length > 0 && `this needs Python with ${missing.join(', ')} on a GPU`;
}

/** CUDA_ERROR_NOT_PERMITTED, _NOT_SUPPORTED and _OPERATING_SYSTEM, which containers and some systems return. */
const WITHHELD = [800, 801, 304];

/** Returns the result of `work`; skips the test with a reason if the system does not support this way of sharing. */
export async function unlessWithheld<T>(
  context: TestContext,
  work: () => T,
  also = /NOT_PERMITTED|NOT_SUPPORTED|OPERATING_SYSTEM/
): Promise<Awaited<T> | undefined> {
  try {
    return await work();
  } catch (error) {
    const cause: unknown = error instanceof DriverError ? error : (error as Error).cause;
    const known = cause instanceof DriverError && WITHHELD.includes(cause.status);
    const there = also.test((error as Error).message);
    if (!known && !there) throw error;
    context.skip((error as Error).message);
    return undefined;
  }
}

const PREPARE = `
  import numpy
  numpy.row_stack = numpy.vstack  # numba-cuda asks for it at its import
`;

const peers: PythonPeer[] = [];
export async function start(): Promise<PythonPeer> {
  const started = await PythonPeer.start(python, { XLA_PYTHON_CLIENT_PREALLOCATE: 'false' });
  peers.push(started);
  if (libraries.has('numpy')) await started.run(PREPARE);
  return started;
}

export let peer: PythonPeer;
/** One Python process for all tests of the file, where it can do anything on this GPU. */
export function withPeer(): void {
  before(async () => {
    if (libraries.size > 0) peer = await start();
  });
  after(() => Promise.all(peers.map(one => one.kill())));
}

export async function closed(lease: Lease): Promise<void> {
  lease.release();
  await lease.drained();
}

export function numbers(manager: MemoryManagerClass): NDArray {
  using _ = usingMemoryManager(manager);
  // An allocation before it, so that a pool's block does not start its slab.
  using _before = zeros(100, on);
  return arange(48, { ...on, dtype: 'float32' }).reshape(6, 8);
}
