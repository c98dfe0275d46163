/** Faults of kernels that an editor shows before the cell runs. */

import { readCell } from '../../../kernel/front/typescript/cell-facts.ts';
import { kernelProblems } from '../../../kernel/front/typescript/kernel-problems.ts';

const kernel = (body: string): string =>
  `const other = 1;\nconst k = cuda.kernel((x: DeviceArray<f32>, n: f32) => {\n  const i = cuda.grid(1);\n  ${body}\n});`;

test('a fault has its range in the cell, its reason and its hint', () => {
  const [problem] = kernelProblems(kernel('x[i / 2] = 1;'));
  expect(problem).toMatchObject({
    range: { start: { line: 3, character: 4 }, end: { line: 3, character: 9 } },
    severity: 'error',
    code: 'kernel',
    href: null
  });
  expect(problem!.message).toMatch(/^'\/' on two integers .*\nhint: write Math\.trunc/);
});

test.each([
  ['a good kernel', 'x[i] = n * 2;'],
  ['a captured value, which is not known here', 'x[i] = other * factor;'],
  ['a helper, which is not known here', 'const r = helper(x[i]); x[i] = r.a; if (r.b) x[i] = 1;'],
  ['what follows from it', 'let s = helper(1); for (let j = 0; j < s; j++) s += x[j];']
])('no fault for %s', (_, body) => {
  expect(kernelProblems(kernel(body))).toEqual([]);
});

test('a fault behind something unknown is found', () => {
  expect(kernelProblems(kernel('const r = helper(1);\n  x[i] = true;'))).toMatchObject([
    { range: { start: { line: 4 } } }
  ]);
});

test('each kernel of a cell is looked at, also those of map and its like', () => {
  const code =
    'cuda.map((a: f32) => a ?? 1);\ncuda.reduce((a: i32, b: i32) => a / b);\ncuda.filter(positive);';
  expect(kernelProblems(code).map(({ range }) => range.start.line)).toEqual([0, 1]);
});

test('a cell that does not parse has none, because its run reports that', () => {
  expect(kernelProblems('cuda.kernel((x: DeviceArray<f32>) => {')).toEqual([]);
});

describe('a fault is found', () => {
  const bad = (cuda: string): string =>
    `${cuda}.kernel((x: DeviceArray<f32>) => {\n  x[${cuda}.grid(1)] = true;\n})`;
  const linesOf = (code: string, library = readCell(code).library): number[] =>
    kernelProblems(code, library).map(({ range }) => range.start.line);

  test.each([
    ['in a function', `const make = (n: number) => ${bad('cuda')};`],
    ['in a loop', `for (let n = 0; n < 3; n++) all.push(${bad('cuda')});`],
    ['in an array', `const all = [${bad('cuda')}];`],
    ['in a method', `class A { make() { return ${bad('cuda')}; } }`],
    ['in a field', `class A { static k = ${bad('cuda')}; #k = 1; }`],
    ['of a namespace', `import * as all from 'stridelab'; const k = ${bad('all.cuda')};`],
    ['of an alias', `import { cuda as gpu } from 'stridelab'; const k = ${bad('gpu')};`]
  ])('%s', (_, code) => {
    expect(linesOf(code)).toEqual([1]);
  });

  test('with names that earlier cells gave to cuda, to all of the library and to types', () => {
    const library = new Map([
      ['gpu', 'cuda'],
      ['all', '*'],
      ['float', 'f32']
    ]);
    expect(linesOf(bad('gpu'), library)).toEqual([1]);
    expect(linesOf(bad('gpu'))).toEqual([]);
    const half =
      'gpu.kernel((x: DeviceArray<i32>) => {\n  const i = all.cuda.grid(1);\n  x[i] = float(i) / 2;\n})';
    expect(linesOf(half, library)).toEqual([2]);
  });

  test('in a function that is passed by its name, once', () => {
    const code = `function body(x: DeviceArray<f32>) {\n  x[0] = true;\n}\nconst a = cuda.kernel(body), b = cuda.kernel(body);`;
    expect(linesOf(code)).toEqual([1]);
  });
});
