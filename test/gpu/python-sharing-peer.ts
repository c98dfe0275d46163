/** Support for tests of sharing with Python on a GPU: the processes, the features of their libraries, arrays to share. */

import { execFileSync } from 'node:child_process';
import { after, before } from 'node:test';
import { device } from './device.ts';
import { PythonPeer } from './python-peer.ts';
import { unlessWithheld as unlessWithheldHere, WITHHELD_THERE } from './shared-arrays.ts';

export { closed, numbers } from './shared-arrays.ts';

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

/** As of shared-arrays.ts, but an error of the Python process may say so as well. */
export const unlessWithheld: typeof unlessWithheldHere = (context, work, there = WITHHELD_THERE) =>
  unlessWithheldHere(context, work, there);

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
