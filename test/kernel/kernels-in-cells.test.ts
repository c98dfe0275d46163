/** Kernels in TypeScript in the cells of a notebook. */

import { traceback } from './client.ts';
import { kernel, last, withKernel } from './one-kernel.ts';

withKernel();
beforeAll(async () => {
  await last("import { array, cuda, f32, i32, zeros, type DeviceArray } from 'stridelab';");
});

/** Returns the traceback of a cell that must fail. */
async function fails(cell: string): Promise<string> {
  const { reply } = await kernel.execute(cell);
  expect(reply['status']).toBe('error');
  return traceback(reply);
}

/** Launches a kernel of one array on 0, 1, 2 and returns the array. */
const launched = (kernelCode: string): string => `((k, x) => {
  k.launch({ grid: 1, block: 4 }, x);
  return String(x.toTypedArray());
})(${kernelCode}, array(Float32Array.of(0, 1, 2, 3)))`;

test('a second run of all cells uses what they then define and capture', async () => {
  const cells = (by: number, sign: string): string[] => [
    `let by1 = ${by};`,
    `const moved1 = (v: f32) => v ${sign} by1;`,
    'const k1 = cuda.kernel((x: DeviceArray<f32>) => { const i = cuda.grid(1); x[i] = moved1(x[i]!); });',
    launched('k1')
  ];
  expect(await last(...cells(2, '+'))).toBe("'2,3,4,5'");
  expect(await last(...cells(3, '*'))).toBe("'0,3,6,9'");
  expect(await last('by1 = 4;', launched('k1'))).toBe("'0,4,8,12'");
  expect(await last(...cells(2, '+'))).toBe("'2,3,4,5'");
});

describe('names of cuda', () => {
  const body = (cuda: string): string =>
    `(x: DeviceArray<f32>) => { const i = ${cuda}.grid(1); x[i] = f32(i) * n2 + 1; }`;
  beforeAll(() => last('const n2 = 10;'));

  test('an alias and a namespace of an earlier cell', async () => {
    await last("import { cuda as gpu2 } from 'stridelab';", "import * as lib2 from 'stridelab';");
    expect(
      await last(`const make2 = (n2: number) => gpu2.kernel(${body('gpu2')});`, launched('make2(5)'))
    ).toBe("'1,6,11,16'");
    expect(await last(`const k2 = lib2.cuda.kernel(${body('lib2.cuda')});`, launched('k2'))).toBe(
      "'1,11,21,31'"
    );
  });

  test('an alias that the transform cannot see: names of the notebook are known', async () => {
    await last('const mine2 = cuda;', 'const { kernel: kernelOf2 } = mine2;');
    expect(await last(`const k2 = kernelOf2(${body('mine2')});`, launched('k2'))).toBe("'1,11,21,31'");
    const nested = `function make2b(inner: number) { return kernelOf2((x: DeviceArray<f32>) => { x[0] = inner; }); }`;
    expect(await fails(`${nested}\n${launched('make2b(5)')}`)).toMatch(
      /inner is not defined[^]*hint: kernels do not know the names inside/
    );
  });

  test('a name that no longer stands for it is an ordinary name', async () => {
    await last("import { cuda as other2 } from 'stridelab';");
    expect(await last('const other2 = { kernel: (body: any) => body };', 'other2.kernel(() => 1)()')).toBe(
      '1'
    );
    expect(await last('Object.getOwnPropertySymbols(other2.kernel((x: any) => x)).length')).toBe('0');
  });
});

describe('a helper of an earlier cell without types', () => {
  test('captures names of the notebook, which are read again at each launch', async () => {
    await last('let base3 = 1, limits3 = { most: 12 };', 'const capped3 = v => Math.min(v, limits3.most);');
    await last(
      '%time\nfunction curved3(v) {\n  const square = v * v;\n  return capped3(square * base3 + 1);\n}'
    );
    const made =
      'const k3 = cuda.kernel((x: DeviceArray<f32>) => { const i = cuda.grid(1); x[i] = curved3(x[i]!); });';
    expect(await last(made, launched('k3'))).toBe("'1,2,5,10'");
    expect(await last('base3 = 2; limits3.most = 6;', launched('k3'))).toBe("'1,3,6,6'");
  });

  test('captures a name that a later cell declares', async () => {
    await last(
      'const lifted3 = v => v + later3;',
      'const k3b = cuda.kernel((x: DeviceArray<f32>) => { x[0] = lifted3(x[0]!); });'
    );
    expect(await fails(launched('k3b'))).toContain('later3 is not defined');
    expect(await last('const later3 = 8;', launched('k3b'))).toBe("'8,1,2,3'");
  });

  test('that another function made knows only its text', async () => {
    await last('const base3b = 1; const times3 = n => v => v * n + base3b; const twice3 = times3(2);');
    expect(await fails(launched('cuda.kernel((x: DeviceArray<f32>) => { x[0] = twice3(x[0]!); })'))).toMatch(
      /KernelError: Cell \[\d+\], line 1: n is not defined[^]*hint: kernels do not know the names inside/
    );
  });

  test('whose fault is shown at its line', async () => {
    await last('const wrong3 = v => {\n  return v ?? 1;\n};');
    const error = await fails(launched('cuda.kernel((x: DeviceArray<f32>) => { x[0] = wrong3(x[0]!); })'));
    expect(error).toMatch(/KernelError: Cell \[\d+\], line 2: '\?\?'/);
    expect(error).toContain('2 | return v ?? 1;');
  });
});

describe('kernels that are made', () => {
  const add = (value: string): string =>
    `cuda.kernel((x: DeviceArray<f32>) => { x[cuda.grid(1)]! += ${value}; })`;
  test.each([
    ['in a function', `const make4 = (n: number) => ${add('n')};`, 'make4(3)', '3,4,5,6'],
    [
      'in a loop',
      `const all4 = []; for (let n = 0; n < 3; n++) all4.push(${add('n')});`,
      'all4[2]',
      '2,3,4,5'
    ],
    ['in an array', `const list4 = [1, 5].map(n => ${add('n')});`, 'list4[1]', '5,6,7,8'],
    ['in an object', `const n4 = 7; const own4 = { k: ${add('n4')} };`, 'own4.k', '7,8,9,10'],
    [
      'in a method',
      `class Maker4 { make(n: number) { return ${add('n')}; } }`,
      'new Maker4().make(4)',
      '4,5,6,7'
    ],
    [
      'in a static field',
      `class Holder4 { static n = 6; static k = ${add('Holder4.n')}; }`,
      'Holder4.k',
      '6,7,8,9'
    ],
    [
      'of a private field',
      `class Own4 { #n = 2; k() { const n = this.#n; return ${add('n')}; } }`,
      'new Own4().k()',
      '2,3,4,5'
    ]
  ])('%s', async (_, cell, made, expected) => {
    expect(await last(cell, launched(made))).toBe(`'${expected}'`);
  });
});

test('a cell that fails half-way leaves the kernels that it made, and what it launched', async () => {
  const cell = `const x5 = zeros(2, { dtype: 'int32' });
const k5 = cuda.kernel((x: DeviceArray<i32>) => { x[cuda.grid(1)]! += 1; });
k5.launch({ grid: 1, block: 2 }, x5);
(null as any).x;
k5.launch({ grid: 1, block: 2 }, x5);`;
  expect(await fails(cell)).toMatch(/Cell \[\d+\]:4:/);
  expect(await last('k5.launch({ grid: 1, block: 2 }, x5); String(x5.toTypedArray())')).toBe("'2,2'");
});

test('a kernel with a fault of the language fails at its launch, and other code of the cell has run', async () => {
  const cell = `const before6 = 1;
const bad6 = cuda.kernel((x: DeviceArray<f32>) => {
  x[0] = x[0] ?? 1;
});
const between6 = 2;
bad6.launch({ grid: 1, block: 1 }, array(Float32Array.of(1)));
const after6 = 3;`;
  expect(await fails(cell)).toMatch(/KernelError: Cell \[\d+\], line 3: '\?\?'[^]*Cell \[\d+\]:6:/);
  expect(await last('[before6, between6, typeof after6].join()')).toBe("'1,2,undefined'");
});
