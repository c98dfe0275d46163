import { compileCell } from '../../kernel/executor/transform/compile-cell.ts';
import { NotebookNames } from '../../kernel/executor/transform/names.ts';
import { endsWithSemicolon } from '../../kernel/executor/transform/to-javascript.ts';

/** The rewritten cell without the function around it. */
function rewrite(source: string, names = new NotebookNames()): string {
  return compileCell(source, names)
    .script.replace(/^\(.*?"use strict";/, '')
    .replace(/\n\}\)$/, '')
    .trim();
}

test.each([
  ['let t1 = 1', 't1 = 1;'],
  ['let t2: number', 't2 = undefined, __stridelab.at = 1;'],
  ['var t3', 'void 0;'],
  ['const { t4, ...t5 } = o, t6 = 2', '({ t4, ...t5 } = o), __stridelab.at = 1, t6 = 2;'],
  ['for (var t7 of []);', 'for (t7 of []);'],
  ['if (1) { var t8 = 1; let inner = 2 }', 'if (1) {\n\tt8 = 1;\n\tlet inner = 2;\n}'],
  ['t9(); function t9() {}', 't9 = function () {};t9();'],
  ['class T10 {}', 'T10 = class T10 {};'],
  [
    "import t11, { a as t12 } from 'm'",
    '({ "default": t11, "a": t12 } = __stridelab.exportsOf(await __stridelab.module((source, options) => import(source, options))("m"), "m", ["default","a"]));'
  ],
  [
    "import * as t13 from 'm'",
    't13 = await __stridelab.module((source, options) => import(source, options))("m");'
  ],
  ['import.meta.url;', '__stridelab.result(__stridelab.meta.url);'],
  ['const t14 = 1; export { t14 }', 't14 = 1;'],
  ['interface T15 {}\ntype T16 = 1', '']
])('%j', (source, script) => {
  expect(rewrite(source)).toBe(script);
});

test('only cells that await are async', () => {
  const isAsync = (source: string): boolean =>
    compileCell(source, new NotebookNames()).script.startsWith('(async ');
  expect(isAsync('async function u1() { await 1 }')).toBe(false);
  expect(isAsync('await 1')).toBe(true);
  expect(isAsync('for await (const x of []);')).toBe(true);
  expect(isAsync("import 'm'")).toBe(true);
});

test('names of globals become properties, wherever they are used', () => {
  const names = new NotebookNames();
  expect(rewrite('let Buffer = 1;', names)).toBe('__stridelab.names.Buffer = 1;');
  expect(rewrite('void Buffer();', names)).toBe('__stridelab.result(void (0, __stridelab.names.Buffer)());');
  expect(rewrite('f = { Buffer }; let b1', names)).toContain('f = { Buffer: __stridelab.names.Buffer };');
  expect(rewrite('f = (Buffer) => Buffer; let b2', names)).toContain('f = (Buffer) => Buffer;');
});

test('the free name Deno is the kernel’s, until the notebook declares it', () => {
  const names = new NotebookNames();
  expect(rewrite('Deno.cwd();', names)).toContain('__stridelab.deno.cwd()');
  expect(rewrite('f = { Deno, x: typeof Deno };', names)).toMatch(
    /Deno: __stridelab\.deno,\s*x: typeof __stridelab\.deno\s/
  );
  expect(rewrite('f = (Deno) => Deno.cwd();', names)).toContain('(Deno) => Deno.cwd()');
  expect(rewrite('const Deno = 1;', names)).toContain('__stridelab.names.Deno = 1');
  expect(rewrite('Deno;', names)).toContain('__stridelab.names.Deno');
});

test('assignments to constants throw at their position', () => {
  const names = new NotebookNames();
  rewrite('const v1 = 1', names);
  expect(rewrite('v1 = 2;', names)).toContain('__stridelab.constants.v1 = 2');
  expect(rewrite('({ v1 } = o);', names)).toContain('{v1: __stridelab.constants.v1} = o');
  expect(rewrite('let v1 = 2; v1 = 3; let v2 = 1', names)).toBe('v1 = 2;\nv1 = 3;\nv2 = 1;');
});

test('positions map back to the TypeScript', () => {
  const source = 'interface W { a: number }\n\nlet w1 = 1;\nlet w2: W = { a: w1.b.c };';
  const { script, toSource } = compileCell(source, new NotebookNames());
  const lines = script.split('\n');
  const line = lines.findIndex(text => text.includes('w1.b.c'));
  expect(toSource({ line: line + 1, column: lines[line]!.indexOf('.c') + 1 })).toEqual({
    line: 4,
    column: 22
  });
});

test.each([
  ['x;', true],
  ['x; // why;', true],
  ['x; /* a */ ', true],
  ['x', false],
  ['x // a;', false],
  ['"a;"', false],
  ['`;\n`', false],
  ['', false]
])('%j ends with a semicolon: %s', (source, silent) => {
  expect(endsWithSemicolon(source)).toBe(silent);
});
