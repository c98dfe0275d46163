/** Runs the script form of a random kernel: each thread is a generator, which yields where threads meet. */

import { compileFunction } from 'node:vm';
import { written, type Piece } from './pieces.ts';

/** Threads of a launch: two blocks of 64. */
export const THREADS = 128;
export const BLOCK = 64;
const WARP = 32;

/** The arrays of a launch, by their names in the kernel. */
export function arrays() {
  return {
    xi: Int32Array.from({ length: THREADS }, (_, i) => Math.imul(i, 0x9e37_79b9) >> (i % 29)),
    xf: Float32Array.from({ length: THREADS }, (_, i) =>
      i % 16 === 0 ? [NaN, -0, Infinity, 1e-40][(i >> 4) & 3]! : (i - 60) * 0.37
    ),
    cells: new Int32Array(8),
    out_i32: new Int32Array(2 * THREADS),
    out_u32: new Uint32Array(2 * THREADS),
    out_f32: new Float32Array(2 * THREADS),
    out_f64: new Float64Array(2 * THREADS)
  };
}
export type Arrays = ReturnType<typeof arrays>;

const saturated =
  (least: number, most: number) =>
  (value: number): number =>
    Number.isNaN(value) ? 0 : Math.min(Math.max(Math.trunc(value), least), most) + 0;
const atomic =
  (apply: (old: number, value: number) => number) =>
  (cells: Int32Array, at: number, value: number): void => {
    cells[at] = apply(cells[at]!, value);
  };

const words = new DataView(new ArrayBuffer(4));
/** Rounds a float32 to its upper 16 bits, half to even. */
function roundedToBfloat16(value: number): number {
  if (Number.isNaN(value)) return value;
  words.setFloat32(0, value);
  const bits = words.getUint32(0);
  words.setUint32(0, (bits + 0x7fff + ((bits >>> 16) & 1)) & 0xffff_0000);
  return words.getFloat32(0);
}

/** What scripts call. */
const FUNCTIONS = {
  I: (value: number) => value | 0,
  U: (value: number) => value >>> 0,
  F: Math.fround,
  D: (value: number) => value,
  saturatedI: saturated(-(2 ** 31), 2 ** 31 - 1),
  saturatedU: saturated(0, 2 ** 32 - 1),
  f16: Math.f16round,
  bf16: roundedToBfloat16,
  popc: (value: number) => (value >>> 0).toString(2).replaceAll('0', '').length,
  brev: (value: number) => {
    let bits = 0;
    for (let bit = 0; bit < 32; bit++) bits |= ((value >>> bit) & 1) << (31 - bit);
    return bits >>> 0;
  },
  high: (a: number, b: number) => Number((BigInt(a) * BigInt(b)) >> 32n),
  change: (array: Int32Array, at: number, next: (old: number) => number) => (array[at] = next(array[at]!)),
  atomicAdd: atomic((a, b) => a + b),
  atomicSub: atomic((a, b) => a - b),
  atomicMin: atomic(Math.min),
  atomicMax: atomic(Math.max),
  atomicAnd: atomic((a, b) => a & b),
  atomicOr: atomic((a, b) => a | b),
  atomicXor: atomic((a, b) => a ^ b)
};

type Meeting = readonly [name: string, value?: number | boolean, lane?: number, width?: number];
type Thread = Generator<Meeting, void, number | boolean | undefined>;

export function runScript(pieces: readonly Piece[]): Arrays {
  const data = arrays();
  const names = [
    't',
    'b',
    'g',
    'own',
    'shared_i32',
    'shared_u32',
    'shared_f32',
    'shared_f64',
    ...Object.keys(data),
    ...Object.keys(FUNCTIONS)
  ];
  const start = compileFunction(`return (function* () {\n${written(pieces, 'script')}\n})();`, names) as (
    ...values: unknown[]
  ) => Thread;
  for (let b = 0; b < THREADS / BLOCK; b++) {
    const shared = [
      new Int32Array(BLOCK),
      new Uint32Array(BLOCK),
      new Float32Array(BLOCK),
      new Float64Array(BLOCK)
    ];
    runBlock(
      Array.from({ length: BLOCK }, (_, t) =>
        start(
          t,
          b,
          b * BLOCK + t,
          new Int32Array(8),
          ...shared,
          ...Object.values(data),
          ...Object.values(FUNCTIONS)
        )
      )
    );
  }
  return data;
}

function runBlock(threads: readonly Thread[]): void {
  let given: (number | boolean | undefined)[] = threads.map(() => undefined);
  for (;;) {
    const steps = threads.map((thread, t) => thread.next(given[t]));
    if (steps.some(({ done }) => done === true)) return;
    const meetings = steps.map(({ value }) => value as Meeting);
    given = meetings.map((meeting, t) => meet(meeting, t, meetings));
  }
}

/** Returns what a thread gets where all meet. */
function meet(
  [name, own, lane = 0, width = WARP]: Meeting,
  t: number,
  meetings: readonly Meeting[]
): number | boolean | undefined {
  const first = t - (t % WARP);
  const warp = meetings.slice(first, first + WARP).map(([, value]) => value);
  const block = meetings.map(([, value]) => value);
  const at = t % WARP;
  const start = at - (at % width);
  const from = (source: number): number | boolean | undefined =>
    source >= start && source < start + width ? warp[source] : own;
  switch (name) {
    case 'shfl':
      return warp[start + (lane % width)];
    case 'shflUp':
      return from(at - lane);
    case 'shflDown':
      return from(at + lane);
    case 'shflXor':
      return from(at ^ lane);
    case 'ballot':
      return warp.reduce<number>(
        (bits, value, index) => (value === true ? (bits | (1 << index)) >>> 0 : bits),
        0
      );
    case 'any':
      return warp.includes(true);
    case 'all':
      return !warp.includes(false);
    case 'syncThreadsAnd':
      return !block.includes(false);
    case 'syncThreadsOr':
      return block.includes(true);
    case 'syncThreadsCount':
      return block.filter(value => value === true).length;
    default:
      return undefined;
  }
}
