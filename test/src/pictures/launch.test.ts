/** The picture of a launch: what it computes from a record, its HTML and text, and how a kernel makes it. */

import { arange, DISPLAY_METHOD, inspect, zeros, type NDArray } from '../../../src/index.ts';
import { PICTURE_MIME_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import { offsetsOf } from '../../../src/pictures/launch/memory.ts';
import { renderLaunch } from '../../../src/pictures/launch/render.ts';
import type { LaunchPicture } from '../../../src/pictures/launch/schema.ts';
import { rowTexts, summaryTexts } from '../../../src/pictures/launch/words.ts';
import { launchPicture, type Entry, type LaunchOptions } from '../../setup/launch-record.ts';
import { functionOf, kernelOf } from '../kernels/kernel-of.ts';

type Figures = readonly [units: number, least: number, text: string];
type Case = readonly [what: string, entry: Omit<Entry, 'line'>, options: LaunchOptions, expected: Figures];

const figuresOf = (entry: Omit<Entry, 'line'>, options: LaunchOptions): Figures => {
  const picture = launchPicture([{ line: 3, ...entry }], options);
  const { units, least } = picture.sites[0]!;
  return [units, least, rowTexts(picture, 2).join()];
};

test.each<Case>([
  ['one element after the other', {}, {}, [4, 4, 'read x: 4 sectors, 100 %']],
  ['every second element', { offset: lane => 8 * lane }, {}, [8, 4, 'read x: 8 sectors, 50 %']],
  ['elements 128 bytes apart', { offset: lane => 128 * lane }, {}, [32, 4, 'read x: 32 sectors, 13 %']],
  ['one element for all', { offset: () => 64 }, {}, [1, 1, 'read x: 1 sector, 100 %']],
  ['a neighbour', { offset: lane => 4 * lane + 4 }, {}, [5, 4, 'read x: 5 sectors, 80 %']],
  ['an array that starts within a sector', {}, { base: 4 }, [5, 4, 'read x: 5 sectors, 80 %']],
  ['backwards', { offset: lane => 124 - 4 * lane }, {}, [4, 4, 'read x: 4 sectors, 100 %']],
  ['three lanes', { lanes: 0b10101 }, {}, [1, 1, 'read x: 1 sector, 100 %']],
  ['the last lane only', { lanes: 0x80000000, offset: () => 1000 }, {}, [1, 1, 'read x: 1 sector, 100 %']],
  ['bytes', { offset: lane => lane }, { element: 'u8', bytes: 1 }, [1, 1, 'read x: 1 sector, 100 %']],
  ['doubles', { offset: lane => 8 * lane }, { element: 'f64', bytes: 8 }, [8, 8, 'read x: 8 sectors, 100 %']],
  ['a write', { kind: 'write', array: 1 }, {}, [4, 4, 'write y: 4 sectors, 100 %']]
])('sectors of %s', (_what, entry, options, expected) => {
  expect(figuresOf(entry, options)).toEqual(expected);
});

test.each<Case>([
  ['one word after the other', {}, {}, [1, 1, 'read s: no bank conflict']],
  ['every second word', { offset: lane => 8 * lane }, {}, [2, 1, 'read s: 2-way bank conflict']],
  ['a column of 32 words', { offset: lane => 128 * lane }, {}, [32, 1, 'read s: 32-way bank conflict']],
  ['a column of 33 words', { offset: lane => 132 * lane }, {}, [1, 1, 'read s: no bank conflict']],
  ['one word for all', { offset: () => 12 }, {}, [1, 1, 'read s: no bank conflict']],
  [
    'bytes of shared words',
    { offset: lane => lane },
    { element: 'u8', bytes: 1 },
    [1, 1, 'read s: no bank conflict']
  ],
  ['doubles', { offset: lane => 8 * lane }, { element: 'f64', bytes: 8 }, [2, 2, 'read s: no bank conflict']],
  [
    'every second double',
    { offset: lane => 16 * lane },
    { element: 'f64', bytes: 8 },
    [4, 2, 'read s: 2-way bank conflict']
  ]
])('banks of %s', (_what, entry, options, expected) => {
  expect(figuresOf({ array: 2, ...entry }, options)).toEqual(expected);
});

test('atomics tell how many lanes meet at one address', () => {
  const at = (offset: (lane: number) => number): string => figuresOf({ kind: 'atomic', offset }, {})[2];
  expect(at(() => 0)).toBe('atomic x: 1 sector, 100 %, up to 32 lanes at one address');
  expect(at(lane => 4 * (lane >> 1))).toBe('atomic x: 2 sectors, 100 %, up to 2 lanes at one address');
  expect(at(lane => 4 * lane)).toBe('atomic x: 4 sectors, 100 %');
});

test('a warp diverges if some of its lanes go one way in any round, not if all do', () => {
  const branch = (warp: number, into: number, lanes = 0xffffffff): Entry => ({ line: 2, warp, into, lanes });
  const picture = launchPicture([
    branch(0, 0xffffffff),
    branch(0, 0),
    branch(1, 0xffff, 0xffff),
    { ...branch(1, 0xff), block: 1 },
    { ...branch(1, 0xffffffff), block: 1 }
  ]);
  expect(picture.branches).toEqual([{ row: 1, column: 0, warps: 3, divergent: 1 }]);
  expect(rowTexts(picture, 1)).toEqual(['divergent warps: 1 of 3']);
  expect(rowTexts(launchPicture([branch(0, 0)]), 1)).toEqual(['no divergence']);
});

test('figures add up over warps and rounds; details name the turn of each warp', () => {
  const picture = launchPicture([
    { line: 3, warp: 0 },
    { line: 3, warp: 1, lanes: 0xff, offset: lane => 4 * lane * lane },
    { line: 3, warp: 0, offset: lane => 8 * lane },
    { line: 3, warp: 0, kind: 'write', array: 1 }
  ]);
  const [read, write] = picture.sites;
  expect(read).toMatchObject({ kind: 'read', warps: 2, runs: 3, lanes: 72, units: 18, least: 9 });
  expect(write).toMatchObject({ kind: 'write', warps: 1, runs: 1, lanes: 32, units: 4, least: 4 });
  expect(read!.accesses.map(({ warp, turn }) => [warp, turn])).toEqual([
    [0, 0],
    [1, 0],
    [0, 1]
  ]);
  // Even distances are not listed.
  expect(read!.accesses.map(({ offsets, step }) => [offsets.length, step])).toEqual([
    [1, 4],
    [8, null],
    [1, 8]
  ]);
  expect(offsetsOf(read!.accesses[1]!)).toEqual([0, 4, 16, 36, 64, 100, 144, 196]);
  expect(offsetsOf(read!.accesses[2]!).slice(0, 3)).toEqual([0, 8, 16]);
});

test('keeps few details of a long run, and all its figures', () => {
  const rounds = Array.from({ length: 500 }, (_, round): Entry => ({ line: 3, warp: round % 2 }));
  const { sites } = launchPicture(rounds);
  expect(sites[0]).toMatchObject({ runs: 500, units: 2000 });
  expect(sites[0]!.accesses.length).toBe(256);
  expect(sites[0]!.accesses.at(-1)).toMatchObject({ turn: 127 });
});

test('helpers that access memory follow the kernel', () => {
  const picture = launchPicture([{ line: 3, file: 1 }, { line: 3 }]);
  expect(picture.rows.map(({ line, text }) => [line, text.trim()])).toEqual([
    [1, '(x: DeviceArray<f32>, y: DeviceArray<f32>) => {'],
    [2, 'const i = cuda.grid(1);'],
    [3, 'y[i] = x[i];'],
    [4, '}'],
    [2, 'function twice(x: DeviceArray<f32>, i: i32) {'],
    [3, 'return 2 * x[i];'],
    [4, '}']
  ]);
  expect(picture.sites.map(({ row }) => row)).toEqual([2, 5]);
  expect(launchPicture([{ line: 3 }]).rows.length).toBe(4);
  // The indentation of the cell is left out.
  expect(picture.rows[1]!.text).toBe('  const i = cuda.grid(1);');
});

test('a launch without accesses, and one whose record was cut, say so', () => {
  const empty = launchPicture([]);
  expect([empty.sites, empty.branches, summaryTexts(empty)]).toEqual([[], [], ['No faults']]);
  expect(renderLaunch(empty).text).toContain(
    'kernel smooth: grid (4, 1, 1), block (64, 1, 1), 256 threads, on sim:0\n'
  );
  const cut = launchPicture([], { facts: { record: { complete: false, blocks: 1, places: [], words: [] } } });
  expect(summaryTexts(cut)).toEqual([
    'No faults',
    'Figures of 1 of 4 blocks',
    'The record was too long: later accesses are not in the figures'
  ]);
});

test('a GPU adds its time, the rate of the arrays, and what the launch needs', () => {
  const attributes = { registers: 32, sharedBytes: 128, localBytes: 16, constantBytes: 0 };
  const limits = { maxThreadsPerBlock: 1024, ptxVersion: 90, binaryVersion: 90 };
  const occupancy = { blocksPerMultiprocessor: 8, activeThreads: 512 };
  const onGpu = (time: number | null): LaunchPicture =>
    launchPicture([{ line: 3 }, { line: 3, kind: 'write', array: 1 }, { line: 3, kind: 'read', array: 1 }], {
      facts: { gpu: { attributes: { ...attributes, ...limits }, occupancy, time } }
    });
  const picture = onGpu(2);
  // x is read, y is read and written: three times 256 elements.
  expect(picture.gpu).toEqual({
    registers: 32,
    sharedBytes: 128,
    localBytes: 16,
    ...occupancy,
    time: 2,
    bytes: 3072
  });
  expect(summaryTexts(picture).slice(-2)).toEqual([
    '2 µs on the GPU, 1.536 GB/s of array data',
    '32 registers, 16 bytes of local memory, 512 threads on a multiprocessor'
  ]);
  expect(summaryTexts(onGpu(null))).toContain('Not timed, because it prints');
  const faults = [{ row: 2, kind: 'bounds', message: 'outside' }];
  expect(summaryTexts({ ...onGpu(null), faults })).toContain('Not timed, because it has faults');
});

test('HTML is escaped, and small for a long kernel', () => {
  const evil = '<img src=x onerror=alert(1)>';
  const picture = launchPicture([{ line: 3 }], { text: `() => {\n${`// ${evil}\n`.repeat(900)}}` });
  const { html } = renderLaunch({
    ...picture,
    kernel: evil,
    device: evil,
    faults: [{ row: 2, kind: evil, message: evil }]
  });
  expect(html).not.toContain('<img');
  expect(html).toContain('&lt;img');
  expect(html).toMatch(/and \d+ more lines/);
  expect(Buffer.byteLength(html)).toBeLessThan(10_000);
});

describe('of a kernel', () => {
  const floats = (size: number): NDArray => arange(size, { dtype: 'float32', device: 'sim:0' });
  const shift = kernelOf(
    2,
    `(x, out) => {
  const i = cuda.grid(1);
  if (i < 100) out[i] = x[i + 1];
}`
  );
  const read = (picture: LaunchPicture): string[] => rowTexts(picture, 2);
  const shown = (values: readonly NDArray[], kernel = shift): LaunchPicture => {
    const bundle = kernel.picture({ grid: 2, block: 64 }, ...values)[DISPLAY_METHOD]();
    const { view, picture } = bundle[PICTURE_MIME_TYPE] as { view: string; picture: LaunchPicture };
    expect(view).toBe('LaunchView');
    return picture;
  };

  test('its lines have figures, and its arrays stay as they are', () => {
    const out = zeros(128, { dtype: 'float32', device: 'sim:0' });
    const picture = shown([floats(128), out]);
    expect(read(picture)).toEqual([
      'write out: 3.3 sectors, 100 %',
      'read x: 4 sectors, 81 %',
      'divergent warps: 1 of 4'
    ]);
    expect(picture.faults).toEqual([]);
    expect([...out.toTypedArray()]).toEqual(new Array(128).fill(0));
  });

  test('views keep their strides, their start, and the memory that they share', () => {
    const all = floats(512);
    const strided = shown([all.slice('::2'), zeros(128, { dtype: 'float32', device: 'sim:0' })]);
    expect(read(strided)).toContain('read x: 7.3 sectors, 45 %');
    const moved = shown([all.slice('7:200'), zeros(128, { dtype: 'float32', device: 'sim:0' })]);
    expect(moved.arrays[0]?.base).toBe(28);
    expect(read(moved)).toContain('read x: 3.3 sectors, 100 %');
    const races = shown([all.slice(':128'), all.slice(':128')]);
    expect(races.faults.map(({ kind, row }) => [kind, row])).toEqual([['race', 2]]);
    expect(all.item(5)).toBe(5);
  });

  test('reversed and empty arrays work', () => {
    const all = floats(200);
    const out = zeros(128, { dtype: 'float32', device: 'sim:0' });
    expect(read(shown([all.slice('127::-1'), out]))).toContain('read x: 4 sectors, 81 %');
    const empty = shown([all.slice('7:7'), out]);
    expect(empty.faults.map(({ kind }) => kind)).toEqual(['bounds']);
  });

  test('an object of arrays is copied too', () => {
    const add = kernelOf(1, '(all) => { const i = cuda.grid(1); all.x[i] += 1; }');
    const x = floats(128);
    const picture = shown([{ x } as unknown as NDArray], add);
    expect(picture.sites.map(({ kind }) => kind)).toEqual(['read', 'write']);
    expect(x.item(5)).toBe(5);
  });

  test('faults are at their lines', () => {
    const { faults } = shown([floats(50), zeros(128, { dtype: 'float32', device: 'sim:0' })]);
    expect(faults.map(({ kind, row }) => [kind, row])).toEqual([['bounds', 2]]);
  });

  test('the text of a helper is there once', () => {
    const lines = ['(list, i) => {', '  return list[i];', '}'];
    const get = functionOf(2, lines.join('\n'));
    const { [Symbol.for('stridelab.source') as never]: source } = get as unknown as Record<string, object>;
    Object.assign(source!, { file: 'helpers.ts' });
    const kernel = kernelOf(2, '(x, out) => { out[cuda.grid(1)] = get(x, 1) + get(x, 2); }', { get });
    const picture = shown([floats(128), zeros(128, { dtype: 'float32', device: 'sim:0' })], kernel);
    expect(picture.rows.slice(1).map(({ text }) => text)).toEqual(lines);
    expect(rowTexts(picture, 2)).toEqual(['read x: 1 sector, 100 %']);
  });

  test('too long a record has its first block only', () => {
    const long = kernelOf(
      2,
      '(x, out) => { for (let n = 0; n < 3000; n++) out[cuda.grid(1)] = x[cuda.grid(1)]; }'
    );
    const picture = shown([floats(128), zeros(128, { dtype: 'float32', device: 'sim:0' })], long);
    expect([picture.blocks, picture.complete]).toEqual([1, true]);
    expect(picture.sites.map(({ runs }) => runs)).toEqual([6000, 6000]);
  });

  test('inspect prints it in a program, and wants the arguments of a launch', () => {
    const written: string[] = [];
    const { write } = process.stdout;
    process.stdout.write = (text: string | Uint8Array) => written.push(String(text)) > 0;
    try {
      inspect(shift, { grid: 2, block: 64 }, floats(128), zeros(128, { dtype: 'float32', device: 'sim:0' }));
    } finally {
      process.stdout.write = write;
    }
    expect(written.join('')).toMatch(/^kernel kernel: grid \(2, 1, 1\).*\n.*\n(.*\n)*.*read x: 4 sectors/);
    expect(() => (inspect as (kernel: unknown) => unknown)(shift)).toThrow('expected {grid, block} first');
  });
});
