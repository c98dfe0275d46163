/**
 * Fuzzes the import of DLPack structs through the real importer: `node fuzz/dlpack.mjs [--seconds 60] [--seed N]`.
 *
 * A C addon fills structs with fields that are plausible, odd or absurd. Each must result in a BufferError or DTypeError, or in an
 * array; if its elements are inside the existing memory, they must equal those of a simple reader. Each
 * deleter must run exactly once. A finding prints the struct and the seed, and the status is 1.
 */
import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { BufferError, devices, dtypes, fromDlpack, NDArray } from 'stridelab';

import { buildAddon } from '../test/addon/build.mjs';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');
const addon = createRequire(import.meta.url)(buildAddon());

const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } });
const seconds = Number(values.seconds ?? 60);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const sim = devices().find(device => device.simulated);

/** The number of bytes that the addon allocates. Their values follow from their positions. */
const MEMORY = 4096;
const memory = Uint8Array.from({ length: MEMORY }, (_, index) => index % 251);

let state = seed >>> 0;
/** Returns a pseudorandom integer below `bound` (mulberry32). */
function below(bound) {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
}
const pick = list => list[below(list.length)];
const chance = percent => below(100) < percent;

const EDGES = [
  0n,
  1n,
  -1n,
  2n,
  255n,
  2n ** 31n,
  2n ** 32n,
  2n ** 52n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 62n,
  2n ** 63n - 1n,
  -(2n ** 31n),
  -(2n ** 53n),
  -(2n ** 63n)
];
const DTYPES = [
  [0, 8, 1],
  [0, 16, 1],
  [0, 64, 1],
  [1, 8, 1],
  [2, 16, 1],
  [2, 32, 1],
  [2, 64, 1],
  [4, 16, 1],
  [5, 64, 1],
  [5, 128, 1],
  [6, 8, 1],
  [10, 8, 1],
  [15, 6, 1],
  [17, 4, 1],
  [0, 4, 1],
  [2, 32, 4],
  [0, 4, 2]
];

function number(least, most) {
  return chance(6) ? pick(EDGES) : BigInt(least + below(most - least + 1));
}

/** Returns a description for the addon's `produce`. */
function produced() {
  const axes = chance(3) ? 60 + below(10) : below(5);
  const of = {
    versioned: chance(60),
    external: chance(20),
    major: chance(4) ? below(4) : 1,
    minor: below(6),
    flags: chance(20) ? Number(pick([1, 2, 4, 8, 2 ** 40, 7])) : 0,
    dtype: chance(10) ? [below(256), below(256), below(3)] : pick(DTYPES),
    device: chance(6) ? [below(30) - 5, below(3)] : [1, 0],
    deleter: true,
    byteOffset: chance(50) ? below(MEMORY) : 0,
    shape: Array.from({ length: axes }, () => number(0, 6))
  };
  if (chance(92)) of.bytes = memory;
  if (chance(60)) of.strides = Array.from({ length: axes }, () => number(-20, 60));
  if (chance(4)) of.ndim = below(80) - 4;
  if (chance(2)) delete of.shape;
  return of;
}

/** Reads the bytes of each element in row-major order; null if one is outside the memory. */
function naive(array, base) {
  const { shape, strides, dtype } = array;
  const first = Number(array.pointer - base);
  const bytes = [];
  const index = shape.map(() => 0);
  for (let element = 0; element < array.size; element++) {
    const at = first + index.reduce((sum, position, axis) => sum + position * strides[axis], 0);
    if (at < 0 || at + dtype.itemsize > MEMORY) return null;
    for (let byte = 0; byte < dtype.itemsize; byte++) bytes.push(memory[at + byte]);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return bytes;
}

function check(of, array) {
  if (array.device !== sim) throw new Error('imported onto another device');
  if (array.size === 0) {
    if (array.pointer !== 0n) throw new Error('an empty array has an address');
    return;
  }
  if (array.size > 20000) return;
  const base = addon.lastBytes();
  const expected = naive(array, base);
  if (expected === null) return;
  // As bytes, so that every dtype can be read and compared.
  const raw = new NDArray(
    array.storage.retain(),
    dtypes.uint8,
    { shape: [...array.shape, array.dtype.itemsize], strides: [...array.strides, 1], offset: array.offset },
    array.stream
  );
  try {
    if (raw.ndim > 64) return;
    const found = raw.toTypedArray();
    if (found.length !== expected.length || found.some((value, index) => value !== expected[index])) {
      throw new Error('elements differ from those of the simple reader');
    }
  } finally {
    raw.dispose();
  }
}

const counts = { cases: 0, refused: 0, imported: 0 };
let made = 0;
const start = addon.deletions();
const end = Date.now() + seconds * 1000;

function once() {
  const of = produced();
  counts.cases++;
  let step = 'produce';
  try {
    const capsule = addon.produce(of);
    made++;
    step = pick(['import', 'import', 'import', 'import', 'drop', 'consume', 'twice']);
    if (step === 'drop') return;
    if (step === 'consume') {
      addon.consume(capsule);
      addon.release(chance(10));
      return;
    }
    let array;
    try {
      array = fromDlpack(capsule, chance(3) ? { copy: false } : {});
    } catch (error) {
      if (!(error instanceof BufferError)) throw error;
      counts.refused++;
      return;
    }
    counts.imported++;
    if (step === 'twice') {
      try {
        fromDlpack(capsule);
      } catch (error) {
        if (!(error instanceof BufferError)) throw error;
        step = 'refused twice';
      }
      if (step === 'twice') throw new Error('a capsule was consumed twice');
    }
    check(of, array);
    if (chance(90)) array.dispose();
  } catch (error) {
    const text = JSON.stringify(of, (key, value) =>
      typeof value === 'bigint' ? `${value}n` : key === 'bytes' ? MEMORY : value
    );
    console.error(`finding at ${step}, seed ${seed}, case ${counts.cases}: ${text}`);
    throw error;
  }
}

while (Date.now() < end) {
  for (let round = 0; round < 2000; round++) once();
  gc();
  for (let turn = 0; turn < 3; turn++) await setImmediate();
  gc();
  await setImmediate();
  if (addon.deletions() - start > made)
    throw new Error(`a deleter ran twice, seed ${seed}, case ${counts.cases}`);
}
for (let turn = 0; turn < 5 && addon.deletions() - start < made; turn++) {
  gc();
  await setImmediate();
}
if (addon.deletions() - start !== made) {
  throw new Error(`${made} tensors, ${addon.deletions() - start} deletions, seed ${seed}`);
}
console.log(
  `seed ${seed}: ${counts.cases} structs in ${seconds} s, ${counts.imported} imported, ${counts.refused} refused, every deleter ran once`
);
