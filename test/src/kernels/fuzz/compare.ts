/** Runs a random kernel on a device and as a script, and makes failing ones smaller. */

import { smaller, written, type Piece } from './pieces.ts';
import { arrays, BLOCK, runScript, THREADS, type Arrays } from './reference.ts';
import { randomKernel } from './statements.ts';

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
const textOf = (pieces: readonly Piece[]): string => `${HEAD}${written(pieces, 'kernel')}\n}`;

/** The arrays after a launch and after a checked run, and the faults that the check found. */
export interface Outcome {
  readonly launched: readonly ArrayLike<number>[];
  readonly checked: readonly ArrayLike<number>[];
  readonly faults: readonly { readonly kind: string; readonly message: string }[];
}
/** Runs a kernel, by its text, on copies of the arrays. */
export type Run = (text: string, given: Arrays) => Outcome;

/** How the kernels are launched. */
export const SHAPE = { grid: THREADS / BLOCK, block: BLOCK };
/** The number of their parameters. */
export const PARAMETERS = 7;

/** Returns what is wrong with a kernel: a kind, and details; null if nothing is. */
function fault(pieces: readonly Piece[], run: Run): { readonly kind: string; readonly told: string } | null {
  const expected = runScript(pieces);
  try {
    const { launched, checked, faults } = run(textOf(pieces), arrays());
    const different = difference(expected, launched);
    if (different !== null) return { kind: 'different', told: different };
    if (faults.length > 0) return { kind: faults[0]!.kind, told: faults[0]!.message };
    const later = difference(expected, checked);
    return later === null ? null : { kind: 'different when checked', told: later };
  } catch (error) {
    const { name, message } = error as Error;
    return { kind: `${name} ${message.replace(/.*?line \d+: /, '').slice(0, 30)}`, told: message };
  }
}

function difference(expected: Arrays, found: readonly ArrayLike<number>[]): string | null {
  for (const [index, [name, values]] of Object.entries(expected).entries()) {
    const own = Array.from(found[index]!);
    const at = own.findIndex((each, place) => !Object.is(each, values[place]));
    if (at >= 0) return `${name}[${at}] is ${own[at]!}, expected ${values[at]!}`;
  }
  return null;
}

/** Runs the kernel of a seed. @throws Error with the least kernel that has the same fault */
export function requireRight(seed: number, run: Run): void {
  const pieces = randomKernel(seed);
  const found = fault(pieces, run);
  if (found === null) return;
  const least = shrunk(pieces, found.kind, run);
  throw new Error(`seed ${seed}: ${found.kind}: ${fault(least, run)?.told}\n${textOf(least)}`);
}

/** Leaves statements out while the kernel still has the same kind of fault. */
function shrunk(pieces: readonly Piece[], kind: string, run: Run): readonly Piece[] {
  const fails = (each: readonly Piece[]): boolean => {
    try {
      return fault(each, run)?.kind === kind;
    } catch {
      return false; // the script itself needs what was left out
    }
  };
  for (let now = pieces; ;) {
    const next = smaller(now).find(fails);
    if (next === undefined) return now;
    now = next;
  }
}
