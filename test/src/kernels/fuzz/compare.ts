/** Runs a random kernel on the simulated device and as a script, and makes failing ones smaller. */

import { array, type NDArray } from '../../../../src/index.ts';
import { kernelOf } from '../kernel-of.ts';
import { smaller, written, type Piece } from './pieces.ts';
import { arrays, BLOCK, runScript, THREADS, type Arrays } from './reference.ts';

const HEAD = `(xi: Readonly<DeviceArray<i32>>, xf: Readonly<DeviceArray<f32>>, cells: DeviceArray<i32>, out_i32: DeviceArray<i32>, out_u32: DeviceArray<u32>, out_f32: DeviceArray<f32>, out_f64: DeviceArray<f64>) => {
  const t = cuda.threadIdx.x;
  const b = cuda.blockIdx.x;
  const g = cuda.grid(1);
  const own = cuda.local(i32, 8);
  for (let k = 0; k < 8; k++) own[k] = 0;
  const shared_i32 = cuda.shared(i32, ${BLOCK});
  const shared_u32 = cuda.shared(u32, ${BLOCK});
  const shared_f32 = cuda.shared(f32, ${BLOCK});
  const shared_f64 = cuda.shared(f64, ${BLOCK});
`;
export const textOf = (pieces: readonly Piece[]): string => `${HEAD}${written(pieces, 'kernel')}\n}`;

const shape = { grid: THREADS / BLOCK, block: BLOCK };

/** Returns what is wrong with a kernel: a kind, and details; null if nothing is. */
export function fault(pieces: readonly Piece[]): { readonly kind: string; readonly told: string } | null {
  const expected = runScript(pieces);
  try {
    const kernel = kernelOf(7, textOf(pieces));
    const given = (): NDArray[] => Object.values(arrays()).map(each => array(each));
    const [launched, checked] = [given(), given()];
    kernel.launch(shape, ...launched);
    const different = difference(expected, launched);
    if (different !== null) return { kind: 'different', told: different };
    const { faults } = kernel.check(shape, ...checked);
    if (faults.length > 0) return { kind: faults[0]!.kind, told: faults[0]!.message };
    const later = difference(expected, checked);
    return later === null ? null : { kind: 'different when checked', told: later };
  } catch (error) {
    const { name, message } = error as Error;
    return { kind: `${name} ${message.replace(/.*?line \d+: /, '').slice(0, 30)}`, told: message };
  }
}

function difference(expected: Arrays, found: readonly NDArray[]): string | null {
  for (const [index, [name, values]] of Object.entries(expected).entries()) {
    const own = found[index]!.toTypedArray() as Float64Array;
    const at = own.findIndex((each, place) => !Object.is(each, values[place]));
    if (at >= 0) return `${name}[${at}] is ${own[at]!}, expected ${values[at]!}`;
  }
  return null;
}

/** Leaves statements out while the kernel still has the same kind of fault. */
export function shrunk(pieces: readonly Piece[], kind: string): readonly Piece[] {
  const runs = (each: readonly Piece[]): boolean => {
    try {
      return fault(each)?.kind === kind;
    } catch {
      return false; // the script itself needs what was left out
    }
  };
  for (let now = pieces; ;) {
    const next = smaller(now).find(runs);
    if (next === undefined) return now;
    now = next;
  }
}
