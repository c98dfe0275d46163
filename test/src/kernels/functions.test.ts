/** Each function of Numba's kernel API, in the form that docs/kernel-functions.md gives for it. */

import { readFileSync } from 'node:fs';
import { array, zeros, type DTypeName } from '../../../src/index.ts';
import { roundToFloat16 } from '../../../src/kernels/program/narrow.ts';
import { ELEMENTS, type ElementType } from '../../../src/kernels/program/types.ts';
import { kernelOf, type Captured } from './kernel-of.ts';

type Value = number | boolean;
/** The value of a thread: of its element, the next one, its number, and all elements. */
type Rule = (a: number, b: number, i: number, x: readonly number[]) => Value;

interface Row {
  readonly form: string;
  readonly input?: ElementType;
  readonly output?: ElementType;
  /** What a thread stores; by default the form. */
  readonly stored?: string;
  /** Statements before that. */
  readonly before?: string;
  readonly captured?: Captured;
  /** What the CUDA C++ has to contain, for what the simulated device, whose threads run in step, may leave out. */
  readonly emitted?: string;
  readonly rule: Rule;
}

const GRID = { grid: 2, block: 32 };
const THREADS = 64;
/** Whole numbers of both signs, some of them equal. */
const NUMBERS = Array.from({ length: THREADS }, (_, i) => ((i * 37) % 23) - 8);
const FULL = 0xffff_ffff;

const warpOf = (i: number, x: readonly number[]): readonly number[] =>
  x.slice(i - (i % 32), i - (i % 32) + 32);
const bitsWhere = (each: readonly number[], condition: (value: number, lane: number) => boolean): number =>
  each.reduce((mask, value, lane) => (condition(value, lane) ? mask + 2 ** lane : mask), 0);
const dtypeOf = (element: ElementType): DTypeName => ELEMENTS[element].dtype as DTypeName;

const whole = (element: ElementType): ReturnType<typeof array> =>
  array(NUMBERS, { dtype: 'int32' }).astype(dtypeOf(element));

function textOf({ form, input = 'i32', output = input, stored = form, before = '' }: Row): string {
  return `(x: DeviceArray<${input}>, out: DeviceArray<${output}>) => {
    const i = cuda.grid(1);
    const a = x[i];
    const b = x[(i + 1) % x.length];
    ${before}
    out[i] = ${stored};
  }`;
}

const thread: Readonly<Record<string, Row>> = {
  threadIdx: { form: 'cuda.threadIdx.x', rule: (_a, _b, i) => i % 32 },
  blockIdx: { form: 'cuda.blockIdx.x', rule: (_a, _b, i) => Math.floor(i / 32) },
  blockDim: { form: 'cuda.blockDim.x', rule: () => 32 },
  gridDim: { form: 'cuda.gridDim.x', rule: () => 2 },
  laneid: { form: 'cuda.laneId', rule: (_a, _b, i) => i % 32 },
  warpsize: { form: 'cuda.warpSize', rule: () => 32 },
  grid: { form: 'cuda.grid(1)', rule: (_a, _b, i) => i },
  gridsize: { form: 'cuda.gridSize(1)', rule: () => THREADS }
};

const memory: Readonly<Record<string, Row>> = {
  'shared.array': {
    form: 'cuda.shared(f32, 32)',
    before: 'const t = cuda.shared(f32, 32); t[i % 32] = a; cuda.syncThreads();',
    stored: 'i32(t[31 - i % 32])',
    rule: (_a, _b, i, x) => warpOf(i, x)[31 - (i % 32)]!
  },
  'local.array': {
    form: 'cuda.local(f32, 4)',
    before: 'const t = cuda.local(f32, 4); for (let k = 0; k < 4; k++) t[k] = a * k;',
    stored: 'i32(t[i % 4])',
    rule: (a, _b, i) => (a * (i % 4)) | 0
  },
  'const.array_like': {
    form: 'table[i % 4]',
    captured: { table: [2, 3, 5, 7] },
    rule: (_a, _b, i) => [2, 3, 5, 7][i % 4]!
  }
};

const together: Readonly<Record<string, Row>> = {
  syncthreads: {
    form: 'cuda.syncThreads()',
    emitted: '__syncthreads();',
    before: 'const t = cuda.shared(i32, 32); t[i % 32] = a; cuda.syncThreads();',
    stored: 't[(i + 5) % 32]',
    rule: (_a, _b, i, x) => warpOf(i, x)[(i + 5) % 32]!
  },
  syncthreads_count: {
    form: 'cuda.syncThreadsCount(a > 0)',
    rule: (_a, _b, i, x) => warpOf(i, x).filter(value => value > 0).length
  },
  syncthreads_and: {
    form: 'cuda.syncThreadsAnd(a > -8)',
    output: 'bool',
    rule: (_a, _b, i, x) => warpOf(i, x).every(value => value > -8)
  },
  syncthreads_or: {
    form: 'cuda.syncThreadsOr(i === 40)',
    output: 'bool',
    rule: (_a, _b, i) => i >= 32
  },
  'cg.this_grid().sync': {
    form: 'cuda.gridSync()',
    emitted: 'gridSync();',
    before: 'cuda.gridSync(); x[i] = a * 2; cuda.gridSync();',
    stored: 'x[63 - i]',
    rule: (_a, _b, i, x) => x[63 - i]! * 2
  },
  threadfence: {
    form: 'cuda.threadFence()',
    emitted: '__threadfence();',
    before: 'x[i] = a + 1; cuda.threadFence();',
    stored: 'x[i]',
    rule: a => a + 1
  },
  threadfence_block: {
    form: 'cuda.threadFenceBlock()',
    emitted: '__threadfence_block();',
    before: 'x[i] = a + 2; cuda.threadFenceBlock();',
    stored: 'x[i]',
    rule: a => a + 2
  },
  threadfence_system: {
    form: 'cuda.threadFenceSystem()',
    emitted: '__threadfence_system();',
    before: 'x[i] = a + 3; cuda.threadFenceSystem();',
    stored: 'x[i]',
    rule: a => a + 3
  }
};

const masked = (mask: string): string => `const mask = ${mask};`;
const warps: Readonly<Record<string, Row>> = {
  syncwarp: {
    form: 'cuda.syncWarp(mask)',
    emitted: '__syncwarp(0xffffffffu);',
    before: `const t = cuda.shared(i32, 32); ${masked('u32(0xffffffff)')} t[i % 32] = a; cuda.syncWarp(mask);`,
    stored: 't[(i + 3) % 32]',
    rule: (_a, _b, i, x) => warpOf(i, x)[(i + 3) % 32]!
  },
  all_sync: {
    form: 'cuda.all(a > -8)',
    output: 'bool',
    rule: (_a, _b, i, x) => warpOf(i, x).every(value => value > -8)
  },
  any_sync: { form: 'cuda.any(i === 40)', output: 'bool', rule: (_a, _b, i) => i >= 32 },
  eq_sync: { form: 'cuda.matchAll(i < 40 ? 1 : 0) !== 0', output: 'bool', rule: (_a, _b, i) => i < 32 },
  ballot_sync: {
    form: 'cuda.ballot(a > 0)',
    output: 'u32',
    rule: (_a, _b, i, x) => bitsWhere(warpOf(i, x), value => value > 0)
  },
  shfl_sync: { form: 'cuda.shfl(a, 7)', rule: (_a, _b, i, x) => warpOf(i, x)[7]! },
  shfl_up_sync: { form: 'cuda.shflUp(a, 3)', rule: (a, _b, i, x) => warpOf(i, x)[(i % 32) - 3] ?? a },
  shfl_down_sync: { form: 'cuda.shflDown(a, 3)', rule: (a, _b, i, x) => warpOf(i, x)[(i % 32) + 3] ?? a },
  shfl_xor_sync: { form: 'cuda.shflXor(a, 5)', rule: (_a, _b, i, x) => warpOf(i, x)[(i % 32) ^ 5]! },
  match_any_sync: {
    form: 'cuda.matchAny(a)',
    output: 'u32',
    rule: (a, _b, i, x) => bitsWhere(warpOf(i, x), value => value === a)
  },
  match_all_sync: {
    form: 'cuda.matchAll(i >= 32 ? a : 5)',
    output: 'u32',
    rule: (_a, _b, i) => (i < 32 ? FULL : 0)
  },
  activemask: {
    form: 'cuda.activeMask()',
    output: 'u32',
    before: 'if (a <= 0) return;',
    rule: (a, _b, i, x) => (a <= 0 ? 0 : bitsWhere(warpOf(i, x), value => value > 0))
  },
  lanemask_lt: { form: '(u32(1) << cuda.laneId) - 1', output: 'u32', rule: (_a, _b, i) => 2 ** (i % 32) - 1 }
};

const bitsOf = (value: number): string => (value >>> 0).toString(2).padStart(32, '0');
const integers: Readonly<Record<string, Row>> = {
  popc: { form: 'cuda.popc(a)', rule: a => bitsOf(a).replaceAll('0', '').length },
  brev: { form: 'cuda.brev(a)', rule: a => Number(`0b${[...bitsOf(a)].reverse().join('')}`) | 0 },
  clz: { form: 'cuda.clz(a)', rule: a => Math.clz32(a) },
  ffs: { form: 'cuda.ffs(a)', rule: a => (a === 0 ? 0 : 32 - bitsOf(a).lastIndexOf('1')) }
};

const floats: Readonly<Record<string, Row>> = {
  fma: { form: 'cuda.fma(a, b, 0.5)', input: 'f32', rule: (a, b) => a * b + 0.5 },
  cbrt: { form: 'Math.cbrt(a)', input: 'f32', rule: a => Math.fround(Math.cbrt(a)) },
  selp: { form: 'a > b ? a : b', input: 'f32', rule: (a, b) => Math.max(a, b) }
};

const half = (form: string, rule: (a: number, b: number) => number): Row => ({
  form,
  input: 'f16',
  rule: (a, b) => roundToFloat16(Math.fround(rule(a, b)))
});
const compared = (form: string, rule: (a: number, b: number) => boolean): Row => ({
  form,
  input: 'f16',
  output: 'bool',
  rule
});
const halves: Readonly<Record<string, Row>> = {
  hfma: half('cuda.fma(a, b, 0.5)', (a, b) => a * b + 0.5),
  hadd: half('a + b', (a, b) => a + b),
  hsub: half('a - b', (a, b) => a - b),
  hmul: half('a * b', (a, b) => a * b),
  hdiv: half('a / b', (a, b) => a / b),
  hneg: half('-a', a => -a),
  habs: half('Math.abs(a)', a => Math.abs(a)),
  hsin: half('Math.sin(a)', a => Math.sin(a)),
  hcos: half('Math.cos(a)', a => Math.cos(a)),
  hlog: half('Math.log(a)', a => Math.log(a)),
  hlog10: half('Math.log10(a)', a => Math.log10(a)),
  hlog2: half('Math.log2(a)', a => Math.log2(a)),
  hexp: half('Math.exp(a)', a => Math.exp(a)),
  hexp10: half('10 ** a', a => 10 ** a),
  hexp2: half('cuda.exp2(a)', a => 2 ** a),
  hfloor: half('Math.floor(a / 4)', a => Math.floor(a / 4)),
  hceil: half('Math.ceil(a / 4)', a => Math.ceil(a / 4)),
  hsqrt: half('Math.sqrt(a)', a => Math.sqrt(a)),
  hrsqrt: half('cuda.rsqrt(a)', a => 1 / Math.sqrt(a)),
  hrcp: half('1 / a', a => 1 / a),
  hrint: half('cuda.rint(a / 4)', a => {
    const near = Math.round(a / 4);
    return Math.abs((a / 4) % 1) === 0.5 ? 2 * Math.round(a / 8) : near;
  }),
  htrunc: half('Math.trunc(a / 4)', a => Math.trunc(a / 4)),
  heq: compared('a === b', (a, b) => a === b),
  hne: compared('a !== b', (a, b) => a !== b),
  hgt: compared('a > b', (a, b) => a > b),
  hge: compared('a >= b', (a, b) => a >= b),
  hlt: compared('a < b', (a, b) => a < b),
  hle: compared('a <= b', (a, b) => a <= b),
  hmax: half('Math.max(a, b)', (a, b) => Math.max(a, b)),
  hmin: half('Math.min(a, b)', (a, b) => Math.min(a, b))
};

/** The form, the type, and what the element becomes for the value 6. */
const ATOMICS: Readonly<
  Record<string, readonly [form: string, element: ElementType, rule: (a: number) => number]>
> = {
  'atomic.add': ['cuda.atomicAdd(x, i, value)', 'f32', a => a + 6],
  'atomic.sub': ['cuda.atomicSub(x, i, value)', 'f32', a => a - 6],
  'atomic.and_': ['cuda.atomicAnd(x, i, value)', 'i32', a => a & 6],
  'atomic.or_': ['cuda.atomicOr(x, i, value)', 'i32', a => a | 6],
  'atomic.xor': ['cuda.atomicXor(x, i, value)', 'i32', a => a ^ 6],
  'atomic.exch': ['cuda.atomicExch(x, i, value)', 'i32', () => 6],
  'atomic.inc': ['cuda.atomicInc(x, i, value)', 'u32', a => (a >= 6 ? 0 : a + 1)],
  'atomic.dec': ['cuda.atomicDec(x, i, value)', 'u32', a => (a === 0 || a > 6 ? 6 : a - 1)],
  'atomic.max': ['cuda.atomicMax(x, i, value)', 'i32', a => Math.max(a, 6)],
  'atomic.cas': ['cuda.atomicCas(x, i, expected, value)', 'i32', a => (a === 3 ? 6 : a)]
};

const named = (rows: Readonly<Record<string, Row>>, module = ''): (readonly [string, Row])[] =>
  Object.entries(rows).map(([name, row]) => [`${module}${name}`, row] as const);
const ROWS = [
  ...named(thread),
  ...named(memory),
  ...named(together),
  ...named(warps),
  ...named(integers),
  ...named(floats),
  ...named(halves, 'fp16.')
];

test.each(ROWS)('%s', (_, row) => {
  const { form, input = 'i32', output = input, captured, emitted = '', rule } = row;
  const text = textOf(row);
  expect(text).toContain(form);
  const out = zeros(THREADS, { dtype: dtypeOf(output) });
  const kernel = kernelOf(2, text, captured);
  kernel.launch(GRID, whole(input), out);
  expect(kernel.inspect(GRID, whole(input), out).cuda).toContain(emitted);
  const next = (i: number): number => NUMBERS[(i + 1) % THREADS]!;
  expect(out.toNested()).toEqual(NUMBERS.map((a, i) => rule(a, next(i), i, NUMBERS)));
});

test.each(Object.entries(ATOMICS))('%s', (_, [form, element, rule]) => {
  const type = `DeviceArray<${element}>`;
  const text = `(x: ${type}, out: ${type}, expected: ${element}, value: ${element}) => { const i = cuda.grid(1); out[i] = ${form}; }`;
  const [x, out] = [
    whole('i32').astype('int32').abs().astype(dtypeOf(element)),
    zeros(THREADS, { dtype: dtypeOf(element) })
  ];
  const before = x.toNested() as number[];
  kernelOf(4, text).launch(GRID, x, out, 3, 6);
  expect(out.toNested()).toEqual(before);
  expect(x.toNested()).toEqual(before.map(rule));
});

const SLEEP = 'cuda.nanosleep(ns)';

test('nanosleep, which the simulated device leaves out', () => {
  const kernel = kernelOf(2, `(x: DeviceArray<i32>, ns: u32) => { ${SLEEP}; x[0] = 1; }`);
  const x = zeros(1, { dtype: 'int32' });
  expect(kernel.inspect({ grid: 1, block: 1 }, x, 100).cuda).toContain('__nanosleep(ns);');
  kernel.launch({ grid: 1, block: 1 }, x, 100);
  expect(x.item()).toBe(1);
});

test('the page has these rows and no others', () => {
  const page = readFileSync(new URL('../../../docs/kernel-functions.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `cuda\.([\w.()]+?)` \| `(.+?)`(?:;| \|)/gm)].map(([, name, form]) => [
    name,
    form
  ]);
  const atomics = Object.entries(ATOMICS).map(([name, [form]]) => [name, form]);
  const known = [...ROWS.map(([name, { form }]) => [name, form]), ...atomics, ['nanosleep', SLEEP]];
  const byName = (all: readonly unknown[]): readonly string[] => all.map(String).sort();
  expect(byName(rows)).toEqual(byName(known));
});
