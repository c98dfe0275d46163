/**
 * Fuzzes the reader of CUDA Array Interface descriptors: `node fuzz/cai.mjs [--seconds 60] [--seed N]`.
 *
 * Descriptors are plausible, odd or absurd: wrong types, extreme numbers, inconsistent lists, structured dtypes that contain themselves,
 * getters that throw. Each must result in one of the library's typed errors, in the error of the getter, or in a description with the
 * properties checked below; never in another error, a hang or a crash. Arrays in existing memory are imported, and their elements compared
 * with a simple reader's. A finding prints the descriptor and the seed, and the status is 1.
 */
import { parseArgs } from 'node:util';

import { array, asCudaArray, fromCudaArrayInterface, recordDType, StridelabError, toDType } from 'stridelab';

const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } });
const seconds = Number(values.seconds ?? 60);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);

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
const many = (most, make) => Array.from({ length: below(most + 1) }, make);

/** The size of the existing memory, whose bytes follow from their positions. */
const MEMORY = 4096;
const host = Uint8Array.from({ length: MEMORY }, (_, index) => index % 251);
const memory = array(host, { device: 'sim:0' });
const base = memory.pointer;

class Thrown extends Error {}

const ODD = [
  undefined,
  null,
  NaN,
  Infinity,
  -Infinity,
  -0,
  0.5,
  '',
  'x',
  '3',
  true,
  Symbol('odd'),
  {},
  [],
  [[]],
  () => 1,
  new Date(0),
  new Map(),
  new DataView(new ArrayBuffer(8)),
  Object.create(null)
];
const EDGES = [
  0,
  1,
  -1,
  2,
  3,
  7,
  255,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 62,
  -(2 ** 31),
  -(2 ** 53),
  -(2 ** 62)
];
const BIG_EDGES = [
  0n,
  1n,
  -1n,
  2n ** 53n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 64n - 1n,
  2n ** 64n,
  -(2n ** 63n),
  2n ** 200n
];

const integer = () =>
  chance(80) ? below(6) : chance(70) ? pick(EDGES) : chance(80) ? pick(BIG_EDGES) : pick(ODD);

function list(length) {
  const items = Array.from({ length }, integer);
  if (chance(90)) return items;
  if (chance(40)) return Int32Array.from({ length }, () => below(5));
  if (chance(40)) return BigInt64Array.from({ length }, () => BigInt(below(5)));
  return chance(50) ? { length, 0: 1 } : pick(ODD);
}

const TYPESTRS = [
  '<f4',
  '<f8',
  '<f2',
  '|b1',
  '|u1',
  '|i1',
  '<i2',
  '<u4',
  '<i8',
  '<c8',
  '<c16',
  '|S3',
  '<U2',
  '|V5',
  '<M8[ns]',
  '<m8[7us]',
  '>i4',
  '>c8',
  '>U1'
];

function typestr() {
  if (chance(70)) return pick(TYPESTRS);
  if (chance(10)) return pick(ODD);
  const text = `${pick(['<', '>', '|', '=', '', '!', '<<'])}${pick([...'biufcmMSUVtOx9 '])}${pick(['', '0', '1', '4', '8', '08', '16', '99999999999', '2147483648', '-4', '4.0', '１'])}`;
  return chance(30) ? `${text}[${pick(['ns', '25us', '', '0s', 'x', '[', '99999999999Y'])}]` : text;
}

const looped = [];
looped.push(['x', looped]);

function descr(depth = 0) {
  if (chance(5)) return pick([looped, ...ODD]);
  return many(4, () => {
    const name = chance(80)
      ? pick(['', 'a', 'b', 'c', '__proto__', 'constructor'])
      : chance(50)
        ? ['title', pick(['t', 'a', ''])]
        : pick(ODD);
    const type = depth < 3 && chance(20) ? descr(depth + 1) : typestr();
    const entry = [name, type];
    if (chance(25)) entry.push(chance(80) ? many(3, () => below(4)) : list(2));
    return chance(97) ? entry : pick(ODD);
  });
}

/** Returns the typestr of a structured dtype with these fields; undefined if they are invalid. */
function fittingTypestr(fields) {
  try {
    return recordDType(fields).typestr;
  } catch (error) {
    if (error instanceof StridelabError) return undefined;
    throw error;
  }
}

function stridesFor(ndim) {
  const strides = list(chance(95) ? ndim : below(6));
  if (!Array.isArray(strides)) return strides;
  return strides.map(stride => (typeof stride === 'number' && chance(40) ? -stride * 4 : stride));
}

/** Returns a descriptor with a few odd values, or a completely odd one. */
function descriptor(depth = 0) {
  const ndim = chance(97) ? below(5) : pick([63, 64, 65, 200]);
  const result = {
    shape: list(ndim),
    typestr: typestr(),
    data: chance(92)
      ? [
          chance(70) ? base + BigInt(below(MEMORY)) : chance(50) ? pick(BIG_EDGES) : integer(),
          chance(95) ? chance(50) : pick(ODD)
        ]
      : pick(ODD),
    version: chance(80) ? below(4) : chance(50) ? below(9) : integer()
  };
  if (chance(60)) result.strides = chance(15) ? null : stridesFor(ndim);
  if (chance(25)) {
    result.descr = descr();
    if (chance(70)) result.typestr = fittingTypestr(result.descr) ?? result.typestr;
  }
  if (chance(30)) result.stream = chance(70) ? pick([null, 1, 2, 1n, 2n, 0, -1, 77n]) : integer();
  if (chance(15))
    result.mask = depth < 2 && chance(80) ? { __cuda_array_interface__: descriptor(depth + 1) } : pick(ODD);
  if (chance(10))
    result.event = chance(70)
      ? { version: pick([1, 1, 2, 0]), handle: integer(), release: pick([null, () => 1, 3]) }
      : pick(ODD);
  if (chance(5)) delete result[pick(Object.keys(result))];
  const map = chance(5);
  if (chance(3) && !map) {
    const key = pick(Object.keys(result));
    Object.defineProperty(result, key, {
      get: () => {
        throw new Thrown('getter');
      }
    });
  }
  return map ? new Map(Object.entries(result)) : result;
}

function requireThat(condition, what) {
  if (!condition) throw new Error(`failed check: ${what}`);
}

/** Checks the properties of every accepted descriptor. */
function check(made, source) {
  const { shape, strides, size, dtype, storage, offset } = made;
  requireThat(shape.length === strides.length && shape.length <= 64, 'a stride for each axis');
  requireThat(
    shape.every(n => Number.isSafeInteger(n) && n >= 0),
    'dimensions are whole'
  );
  requireThat(size === shape.reduce((product, n) => product * n, 1), 'size is the product');
  requireThat(Number.isSafeInteger(storage.bytes) && storage.bytes >= 0, 'bytes are countable');
  requireThat(dtype.itemsize > 0 && toDType(dtype) === dtype, 'the dtype is a known one');
  requireThat(
    size === 0 || (offset >= 0 && offset + dtype.itemsize <= storage.bytes),
    'the first element lies inside'
  );
  const get = key => (source instanceof Map ? source.get(key) : source[key]);
  requireThat(made.pointer === (size === 0 ? 0n : BigInt(get('data')[0])), 'the pointer is the one given');
  requireThat(made.readOnly === get('data')[1], 'the flag is the one given');
  if (made.mask !== null)
    requireThat(String(made.mask.shape) === String(shape), 'a mask has the shape of its data');
  readNaively(made, source);
}

/** Compares the elements of an array inside the existing memory, in row-major order, with the library's copy of them. */
function readNaively(made, source) {
  const { shape, strides, size, dtype, storage } = made;
  const first = storage.bytes === 0 ? 0 : Number(storage.pointer - base);
  const native = !String(source instanceof Map ? source.get('typestr') : source.typestr).startsWith('>');
  if (
    size === 0 ||
    size > 4096 ||
    first < 0 ||
    first + storage.bytes > MEMORY ||
    !native ||
    dtype.fields !== null
  )
    return;
  const copied = made.toTypedArray();
  const bytes = new Uint8Array(copied.buffer, copied.byteOffset, copied.byteLength);
  const start = Number(made.pointer - base);
  const index = new Array(shape.length).fill(0);
  for (let element = 0; element < size; element++) {
    const at = index.reduce((sum, i, axis) => sum + i * strides[axis], start);
    for (let byte = 0; byte < dtype.itemsize; byte++)
      requireThat(
        bytes[element * dtype.itemsize + byte] === host[at + byte],
        `element ${element} is the one at ${at}`
      );
    for (let axis = shape.length - 1; axis >= 0 && ++index[axis] === shape[axis]; axis--) index[axis] = 0;
  }
}

const LEVELS = ['structure', 'structure', 'strict', 'none'];
const counts = { accepted: 0, refused: 0, records: 0 };

function once() {
  const source = descriptor();
  try {
    const level = pick(LEVELS);
    // Memory that does not exist is described but never read; only an explicit device accepts it.
    const options = {
      validate: level,
      sync: chance(70),
      unsynchronized: pick(['ready', 'legacy', 'device']),
      ...(chance(70) ? { device: 'sim:0' } : {})
    };
    const byInterface = chance(50);
    const made = byInterface
      ? asCudaArray({ __cuda_array_interface__: source }, options)
      : fromCudaArrayInterface(source, options);
    counts.accepted += 1;
    if (made.dtype.fields !== null) {
      counts.records += 1;
      requireThat(recordDType(made.dtype.descr) === made.dtype, 'a record is what its descr says');
    }
    check(made, source);
    made.dispose();
  } catch (error) {
    if (error instanceof Thrown) return;
    if (!(error instanceof StridelabError)) report(source, error);
    counts.refused += 1;
  }
}

function report(source, error) {
  const shown = JSON.stringify(source instanceof Map ? Object.fromEntries(source) : source, (_, value) =>
    typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function'
      ? String(value)
      : value === looped
        ? 'looped'
        : value
  );
  console.error(`seed ${seed}, descriptor ${counts.accepted + counts.refused}:\n${shown}\n${error.stack}`);
  process.exit(1);
}

process.removeAllListeners('warning');
process.on('warning', () => undefined);
const end = performance.now() + seconds * 1000;
while (performance.now() < end) {
  for (let i = 0; i < 1000; i++) once();
  await new Promise(resolve => setImmediate(resolve));
}
console.log(
  `seed ${seed}: ${counts.accepted} accepted (${counts.records} records), ${counts.refused} refused, no finding`
);
