/** Errors point at what they name, in every construct that the kernel rewrites, and no stack has a frame of the kernel. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { traceback, type Content } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

withKernel();

async function failure(cell: string): Promise<Content> {
  const { reply } = await kernel.execute(cell);
  expect(reply['status']).toBe('error');
  return reply;
}

// The caret is expected at the mark.
test.each([
  'const z1 = ¦nosuch.foo',
  'let a1 = 1\nlet z2 = ¦nosuch.foo',
  'let z3: number = (¦nosuch as any).x',
  'var z4 = ¦nosuch',
  'z5 = ¦nosuch; var z5',
  'const { a2, b2 } = ¦nosuch.x',
  'let a3 = 1;\nconst [a4, b4 = 3]: number[] = ¦nosuch.x',
  'let { d4 = ¦nosuch.x } = {}',
  'const { d1: { ¦d2 } } = { d1: undefined }',
  'const { ¦d3 } = null',
  'let first = 1, second = ¦nosuch',
  'class A5 extends ¦nosuch.B {}',
  'class A6 { static x = ¦nosuch.y }',
  'class A7 { [¦nosuch.x]() {} }',
  '@¦nosuch class D9 {}',
  'using u1 = ¦nosuch.open()',
  'for (const x of ¦nosuch.list) {}',
  'let t1 = 2\nfor (var y of ¦nosuch.list) {}',
  'for await (const x of ¦nosuch) {}',
  'for (let i = 0; i < ¦nosuch; i++) {}',
  'label: for (;;) { ¦nosuch; break }',
  'enum E1 { A = ¦nosuch.x }',
  'namespace N1 { export const a = ¦nosuch.x }',
  'export const e2 = ¦nosuch.x',
  'export default ¦nosuch.x',
  "import { ¦nosuch9 } from 'node:path'",
  "import x1 from ¦'nopkg'",
  "let i1 = 1\nimport { x2 } from ¦'nopkg/deep'",
  "const m1 = await import(¦'nopkg')",
  "const m2 = () => import(¦'nopkg'); await m2()",
  '¦nosuch()',
  '¦nosuch`x`',
  'await ¦nosuch.x',
  'let v1 = await ¦nosuch.x',
  'if (¦nosuch.x) 5',
  'while (¦nosuch);',
  'switch (¦nosuch) { case 1: 5 }',
  'throw ¦nosuch',
  'try { ¦nosuch.x } finally {}',
  'const f1 = () => ¦nosuch.x; f1()',
  'function f2() {\n  const k = ¦nosuch.y;\n}\nf2()',
  'const g1 = function* () { yield ¦nosuch }; [...g1()]',
  '[1].map(n => ¦nosuch + n)',
  '<b>{¦nosuch.x}</b>',
  "<¦Nosuch a='1'/>",
  '`a${¦nosuch.x}`',
  '{ a: ¦nosuch, b: 2 }',
  'console.log(1); const o3 = { nosuch: 1, b: ¦nosuch }',
  'const c1 = 1; ¦c1 = 2',
  'let crypto = 1\n¦crypto()',
  'let d8 = {}; d8.¦foo()',
  '%env A=1\nconst h1 = ¦nosuch'
])('%j', async marked => {
  const before = marked.slice(0, marked.indexOf('¦')).split('\n');
  const place = `${before.length}:${before.at(-1)!.length + 1}`;
  expect(traceback(await failure(marked.replace('¦', '')))).toMatch(
    new RegExp(`^[^\\n]*\\n    at (?:\\S+ \\()?Cell \\[\\d+\\]:${place}\\)?\\n`)
  );
});

test('errors in files point at the name too', async () => {
  writeFileSync(
    join(kernel.folder, 'names.ts'),
    'type T = 1;\nexport const broken = () => { const q: T = nosuch.x };\n'
  );
  expect(traceback(await failure("import { broken } from './names';\nbroken()"))).toContain('names.ts:2:44');
});

describe('no frame of the kernel', () => {
  const KERNEL = /dist\/kernel|node:|#evaluate|fresh-task/;

  test.each<[string, string, RegExp]>([
    [
      'a printed error',
      "let pad = 1\nconsole.log(new Error('printed'))",
      /^Error: printed\n    at Cell \[\d+\]:2:13\n$/
    ],
    [
      'a printed stack',
      "function make() { return new Error('s') }\nconsole.log(make().stack)",
      /^Error: s\n    at make \(Cell \[\d+\]:1:26\)\n    at Cell \[\d+\]:2:13\n$/
    ],
    [
      'captureStackTrace',
      'const o1: any = {}; Error.captureStackTrace(o1); console.log(o1.stack)',
      /^Error\n    at Cell \[\d+\]:1:27\n$/
    ],
    ['a trace', "console.trace('here')", /^$/],
    [
      'an async function',
      "console.log(await (async () => { await 1; return new Error('q') })())",
      /^Error: q\n    at Cell \[\d+\]:1:50\n    at async Cell \[\d+\]:1:13\n$/
    ],
    [
      'a timer',
      "await new Promise(done => setTimeout(() => { console.log(new Error('t')); done(1) }, 1)); 0",
      /^Error: t\n    at Timeout._onTimeout \(Cell \[\d+\]:1:58\)\n/
    ],
    [
      'eval',
      "try { eval('nosuch') } catch (error) { console.log((error as Error).stack) }",
      /^ReferenceError: nosuch is not defined\n    at eval \(eval at <anonymous> \(Cell \[\d+\]:1:7\), <anonymous>:1:1\)\n/
    ],
    [
      'a method of the kernel',
      "const v1 = { [Symbol.for('Jupyter.display')]() { console.log(new Error('d')); return {} } }; display(v1)",
      /^Error: d\n    at [^\n]*\(Cell \[\d+\]:1:62\)\n/
    ],
    [
      'an object without a name',
      "console.log(Object.assign(new Error('x'), { name: undefined }).stack)",
      /^Error: x\n    at Cell/
    ]
  ])('in the text of %s', async (_what, cell, text) => {
    const { stdout, stderr, reply } = await kernel.execute(cell);
    expect(reply['status']).toBe('ok');
    expect(stdout).toMatch(text);
    expect(stdout.replace(/\n {4}at (?:process|listOnTimeout)[^\n]*/g, '') + stderr).not.toMatch(KERNEL);
  });

  test.each([
    "await Promise.all([1, (async () => { await 1; throw new Error('all') })()])",
    "await Promise.any([Promise.reject(new Error('one')), (async () => { null.x })()])",
    "await (async () => { await 1; try { null.x } catch (cause) { throw new Error('outer', { cause }) } })()",
    "const { Worker } = require('node:worker_threads'); await new Promise((_, no) => new Worker('throw new Error(1)', { eval: true }).on('error', no))",
    "throw Object.assign(new Error('own'), { toString() { throw 1 } })"
  ])('in the traceback of %j', async cell => {
    expect(traceback(await failure(cell))).not.toMatch(KERNEL);
  });

  test('nor is one needed: cells may replace `Error.prepareStackTrace`', async () => {
    await kernel.execute(
      'const formatter = Error.prepareStackTrace; Error.prepareStackTrace = (_, sites) => sites.length;'
    );
    expect((await kernel.execute('typeof (new Error().stack as unknown)')).result).toBe("'number'");
    await kernel.execute('Error.prepareStackTrace = undefined;');
    expect(traceback(await failure('let raw = 1\nnull.x'))).toMatch(/^[^\n]*\n    at Cell \[\d+\]:2:6\n/);
    await kernel.execute('Error.prepareStackTrace = formatter;');
  });
});

test.each([
  ['let total = 1; totel + 1', "totel is not defined: did you mean 'total'?"],
  ['consle.log(1)', "consle is not defined: did you mean 'console'?"],
  ['q', 'q is not defined'],
  [
    'let a9 = 1\n%who',
    'who is not defined: %who is a magic, which works only before the first line of TypeScript'
  ],
  [
    'let a9 = 1\n!ls -la',
    'ls is not defined: a line with ! runs a command only before the first line of TypeScript'
  ],
  ['let a9 = 1\n%npm install x', '%npm is a magic, which works only before the first line of TypeScript'],
  ['let a9 = 1\n%%bash\necho', '%%bash is a magic, which works only before the first line of TypeScript'],
  ['let a9 = 1\n%nomagic + 1', 'nomagic is not defined']
])('%j: %s', async (cell, evalue) => {
  expect(await failure(cell)).toMatchObject({ evalue });
});
