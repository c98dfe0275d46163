/** The sources of kernels: cells and the user's modules attach them. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileCell } from '../../kernel/executor/transform/compile-cell.ts';
import { NotebookNames } from '../../kernel/executor/transform/names.ts';
import { traceback } from './client.ts';
import { kernel, last, withKernel } from './one-kernel.ts';

withKernel();

/** Stands for the library's: these tests are of the sources alone. */
const CUDA = `
  const same = (body: any) => body;
  const cuda = { kernel: same, map: same, reduce: same, scan: same, filter: same };
  const sourceOf = (body: any) => body[Symbol.for('stridelab.source')];`;

beforeAll(async () => {
  await last(CUDA);
});

/** What the expression gives, as JSON, after the cells have run. */
async function json(...cells: string[]): Promise<unknown> {
  const expression = cells.pop()!;
  const text = await last(...cells, `JSON.stringify(${expression})`);
  return JSON.parse(text!.slice(1, -1).replace(/\\\\/g, '\\'));
}

async function fails(cell: string): Promise<string> {
  const { reply } = await kernel.execute(cell);
  expect(reply['status']).toBe('error');
  return traceback(reply);
}

describe('cells', () => {
  test('give kernels their TypeScript, and the place as tracebacks say it', async () => {
    const text = 'interface A { a: number }\n\nconst k1 = cuda.kernel((x: f32, a: A): f32 => x * n1);';
    const place = await json(text, '(({ text, line, column }) => ({ text, line, column }))(sourceOf(k1))');
    expect(place).toEqual({ text: '(x: f32, a: A): f32 => x * n1', line: 3, column: 23 });
    const file = await json('sourceOf(cuda.kernel(x => x)).file');
    expect(file).toMatch(/^Cell \[\d+\]$/);
    const [, count] = /(\d+)/.exec(file as string)!;
    expect(await fails('null.x')).toContain(`at Cell [${Number(count) + 1}]:1:`);
  });

  test('give captured names their present values, also of later cells', async () => {
    const cells = [
      'let n2 = 1; const k2 = cuda.kernel((x: f32) => x * n2 + later2);',
      'n2 = 2; const later2 = 3;'
    ];
    const { captured } = { captured: 'sourceOf(k2).captured' };
    expect(await json(...cells, `[${captured}.n2, ${captured}.later2]`)).toEqual([2, 3]);
    await last('let n2 = 4;');
    expect(await json(`${captured}.n2`)).toBe(4);
    expect(await fails('sourceOf(cuda.kernel(() => nowhere2)).captured.nowhere2')).toContain(
      'ReferenceError: nowhere2 is not defined'
    );
  });

  test('capture names that are stored as properties, and functions of their own and of earlier cells', async () => {
    const cells = [
      'let Buffer = 5; const early = (x: f32): f32 => x * Buffer;',
      `const k3 = cuda.kernel(main3);
      function main3(x: f32) { return early(x) + own(x) + Buffer; }
      function own(x) { return x - Buffer; }`,
      `(({ captured }) => [captured.Buffer, ...['early', 'own'].map(name => {
        const { text, captured: inner } = sourceOf(captured[name]);
        return [captured[name].name, text, inner.Buffer];
      })])(sourceOf(k3))`
    ];
    expect(await json(...cells)).toEqual([
      5,
      ['early', '(x: f32): f32 => x * Buffer', 5],
      ['own', 'function own(x) { return x - Buffer; }', 5]
    ]);
  });

  test('know the names under which they import cuda', () => {
    const cell =
      "import { cuda as c4, float32 as f4 } from 'stridelab';\nlet k4 = () => c4.reduce((x) => f4(x));";
    expect(compileCell(cell, new NotebookNames()).script).toContain('get f4()');
  });

  test('show results, and functions at the end of a cell do not', async () => {
    expect(await last('cuda.map((x: f32) => x)(5)')).toBe('5');
    expect(await last('cuda.kernel(f5)(6)\nfunction f5(x: f32) { return x + 1 }')).toBeUndefined();
    expect(await last('const k5 = cuda.kernel((x: f32) => x)')).toBeUndefined();
  });

  test('that await, with JSX and with decorators', async () => {
    const jsx =
      "const n6 = 2; const b6 = <b title={sourceOf(cuda.map((x: f32) => n6)).text}>{'x'}</b>; String(b6)";
    expect(await last(jsx)).toBe(`'<b title="(x: f32) =&gt; n6">x</b>'`);
    const decorated = `
      const seen = (value: unknown, context: unknown) => {};
      @seen class A6 { static k = cuda.kernel((x: f32) => x + n6); }
      sourceOf(A6.k)`;
    expect(await last(`${decorated}.captured.n6`)).toBe('2');
    expect(await last(`${decorated}.line + await 1`)).toBe('4');
  });
});

describe('errors of cells with kernels', () => {
  test.each([
    ['after a kernel', 'cuda.kernel((x: f32) => x); none7.x'],
    ['in a kernel that runs', 'cuda.kernel((x: f32) => none7.x)(1)'],
    ['between kernels', 'cuda.kernel((x) => 1); [cuda.map((y) => y), none7.x, cuda.map(z => z)]'],
    ['in a function that is wrapped', 'const f7 = (x: f32) => none7.x; cuda.kernel(f7)(1)'],
    ['after a hoisted source', 'cuda.kernel(f8)(1); function f8(x: f32) { none7.x }'],
    ['of a decorated cell', '@(() => {}) class A7 { k = cuda.kernel((x: f32) => none7.x)(1) } new A7()'],
    ['beside JSX', 'const k7 = cuda.kernel((x: f32) => x), b7 = <b>{none7.x}</b>']
  ])('%s have their column', async (_, cell) => {
    await last('const none7: any = null');
    const column = cell.indexOf('.x') + 2;
    expect(await fails(`\n${cell}`)).toMatch(new RegExp(`Cannot read[^]*Cell \\[\\d+\\]:2:${column}\\b`));
  });

  test.each([
    ['cuda.kernel((x: f32) => x); let a8 = 1; let a8 = 2', 44],
    ['cuda.kernel((x: f32) => x); let b8 = ;', 37]
  ])('%s has the column of its syntax error', async (cell, column) => {
    expect(await fails(`\n${cell}`)).toMatch(new RegExp(`SyntaxError[^]*Cell \\[\\d+\\]:2:${column + 1}\\b`));
  });

  test('code that the kernel added has no place', () => {
    const { script, toSource } = compileCell('cuda.kernel((x) => n9)', new NotebookNames());
    const lines = script.split('\n');
    const line = lines.findIndex(text => text.includes('return n9'));
    expect(toSource({ line: line + 1, column: lines[line]!.indexOf('n9') })).toBeNull();
  });
});

describe('modules of the user', () => {
  test.each([
    ['a.ts', 'x: f32'],
    ['b.tsx', 'x: f32'],
    ['c.mts', 'x: f32'],
    ['d.js', 'x'],
    ['e.mjs', 'x']
  ])('%s', async (file, parameter) => {
    const failing = `const fail = () => cuda.kernel((${parameter}) => n) && null.x;`;
    writeFileSync(
      join(kernel.folder, file),
      `const cuda = { kernel: body => body };\nconst n = 4;\n${failing}
      export const k = cuda.kernel((${parameter}) => n); export { fail };`
    );
    const result = `(({ text, file, line, captured }) => [text, file, line, captured.n])(sourceOf(m.k))`;
    expect(await json(`import * as m from './${file}';`, result)).toEqual([
      `(${parameter}) => n`,
      file,
      4,
      4
    ]);
    expect(await fails('m.fail()')).toContain(`fail (${file}:3:${failing.indexOf('.x') + 2}`);
  });

  test('a syntax error after a kernel has its place', async () => {
    writeFileSync(join(kernel.folder, 'wrong.ts'), 'cuda.kernel((x: f32) => x); let a = 1; let a = 2;');
    expect(await fails("import './wrong.ts'")).toContain('wrong.ts:1:44');
  });
});
