/** A cell that fails takes nothing away: names that it did not reach stay what they were. */

import { plain, type Content } from './client.ts';
import { kernel, last, withKernel } from './one-kernel.ts';

// Long enough for a machine with other work.
withKernel('tcp', { STRIDELAB_TYPES_DEADLINE: '60000' });

async function fails(cell: string): Promise<Content> {
  const { reply } = await kernel.execute(cell);
  expect(reply['status']).toBe('error');
  return reply;
}

/** Expects a ReferenceError with JavaScript's own message. */
async function expectMissing(name: string): Promise<void> {
  const { ename, evalue } = await fails(name);
  expect(ename).toBe('ReferenceError');
  // What follows is a hint.
  expect(evalue).toMatch(new RegExp(`^${name} is not defined(?:: |$)`));
  expect(await last(`try { ${name} } catch (error) { (error as Error).message }`)).toBe(
    `'${name} is not defined'`
  );
  expect(await last(`typeof ${name}`)).toBe("'undefined'");
  expect((await kernel.execute('%who')).stdout).not.toMatch(new RegExp(`^${name}\\b`, 'm'));
}

test.each([
  ["import { crypto } from 'nopkg'", 'crypto.randomUUID().length', '36'],
  ['const { crypto } = await import("nopkg")', 'crypto.randomUUID().length', '36'],
  ['let crypto = nosuch', 'crypto.randomUUID().length', '36'],
  ['var crypto = nosuch', 'crypto.randomUUID().length', '36'],
  ['throw 1; class URL {}', 'new URL("http://x").host', "'x'"],
  ['throw 1; enum Event { A }', 'typeof Event', "'function'"],
  ['console.log(1)', 'typeof console.log', "'function'"],
  ['const require = nosuch', "require('node:path').sep", "'/'"],
  [
    'import * as process from "nopkg"; function fetch() {}',
    'typeof process.pid + typeof fetch',
    "'numberfunction'"
  ],
  ['const display = await Promise.reject(1)', 'typeof display', "'function'"]
])('after %j globals stay visible', async (cell, next, result) => {
  await kernel.execute(cell);
  expect(await last(next)).toBe(result);
});

test.each([
  ['let early = 1; throw 2; let late1 = 3', 'late1'],
  ['const late2 = nosuch.x', 'late2'],
  ['const { late3 } = null', 'late3'],
  ["import { late4 } from 'nopkg'", 'late4'],
  ["import late5 from 'nopkg'", 'late5'],
  ["import * as late6 from 'nopkg'", 'late6'],
  ['throw 1; class late7 {}', 'late7'],
  ['class late8 extends nosuch {}', 'late8'],
  ['throw 1; enum late9 { A }', 'late9'],
  ['throw 1; namespace late10 { export let a = 1 }', 'late10'],
  ['using late11 = nosuch', 'late11'],
  ['await Promise.reject(1); let late12', 'late12'],
  ["import 'nopkg'; function late13() {}", 'late13'],
  ['let late14 = 1; export { nobody14 }', 'late14'],
  ['let late15 = 1; let late15 = 2', 'late15'],
  ['!exit 1\nlet late16 = 1', 'late16'],
  ['%nomagic\nlet late17 = 1', 'late17'],
  ['let late18 = 1; )', 'late18']
])('after %j the new name is not defined', async (cell, name) => {
  await fails(cell);
  await expectMissing(name);
  expect(await last(`let ${name} = 5`, name)).toBe('5');
});

test.each([
  ['let kept1; throw 1', 'kept1', undefined],
  ['const kept2 = [1].find(x => x > 1); kept2.name', 'kept2', undefined],
  ['let kept3 = 1, kept3b = nosuch', 'kept3', '1'],
  ['const { kept4 } = {} as any, kept4b = nosuch', 'kept4', undefined],
  ['var kept5 = nosuch', 'kept5', undefined],
  ['for (const x of [1]) { var kept6 = x; throw 1 }', 'kept6', '1'],
  ['function kept7() {} throw 1', 'kept7', '[Function: kept7]'],
  ["import { sep as kept8 } from 'node:path'; throw 1", 'kept8', "'/'"],
  ['class kept9 {} throw 1', 'kept9', '[class kept9]'],
  ['enum kept10 { A } throw 1', 'kept10.A', '0'],
  ['using kept11 = null; throw 1', 'kept11', 'null'],
  ['let process = undefined; throw 1', 'process', undefined]
])('%j keeps what it declared', async (cell, name, result) => {
  await fails(cell);
  expect(await last(name)).toBe(result);
});

test('a redeclared name keeps its value, and stays constant or not', async () => {
  await last('const fixed = 1; let free = 2; enum Kind { A } namespace Space { export let a = 1 }');
  await fails('throw 1; let fixed = 5; const free = 6; enum Kind { B } namespace Space { export let b = 2 }');
  expect(await last('[fixed, free, Object.keys(Kind), Object.keys(Space)].join()')).toBe("'1,2,0,A,a'");
  expect(await fails('fixed = 2')).toMatchObject({ ename: 'TypeError' });
  expect(await last('free = 3; free')).toBe('3');
  await last('enum Kind { B } namespace Space { export let b = 2 }');
  expect(await last('[Object.keys(Kind), Object.keys(Space)].join()')).toBe("'0,B,b'");
});

test('a name that `%reset` removed stays removed, and a global of its name is visible', async () => {
  await last('let removed = 1', '%reset removed');
  await fails('throw 1; let removed = 2');
  await expectMissing('removed');
  expect(await last('globalThis.removed = 7; removed')).toBe('7');
  expect(await last('removed = 8; globalThis.removed')).toBe('8');
  expect(await last('typeof removed')).toBe("'number'");
});

test('a name that a failed cell did not reach is explained', async () => {
  await fails('const explained = nosuch');
  expect(await fails('explained')).toMatchObject({
    evalue: 'explained is not defined: the cell that declares it failed before it reached the declaration'
  });
});

test('an interrupted await leaves no half-declared name', async () => {
  const id = kernel.startExecution(
    'console.log("begun"); const crypto = await new Promise(() => {}), half = 1'
  );
  await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
  await kernel.request('interrupt_request', {}, 'control');
  expect((await kernel.finish(id)).reply['ename']).toBe('Interrupted');
  await expectMissing('half');
  expect(await last('crypto.randomUUID().length')).toBe('36');
});

test('a user expression that fails declares nothing', async () => {
  await kernel.execute('1', { user_expressions: { bad: 'let inExpression = nosuch' } });
  await expectMissing('inExpression');
});

test('types agree', async () => {
  const strict = '%types strict\n';
  await fails(`${strict}const typed: number = JSON.parse("{"); const after = 1`);
  const { evalue } = await fails('typed.toFixed()');
  expect(plain(String(evalue))).toMatch(/1 type error/);
  const { reply } = await kernel.execute('crypto.randomUUID().length');
  expect(reply['status']).toBe('ok');
  await fails('const crypto: number = JSON.parse("{")');
  expect(await last('crypto.randomUUID().length')).toBe('36');
  await last('let seen: number | undefined = 1', '%types off');
  await fails('let seen: string | undefined = undefined; throw 1');
  expect((await kernel.execute('%types strict\nseen?.length')).reply['status']).toBe('ok');
  await last('%types warn');
});

test('messages name nothing of the kernel', async () => {
  await last('let fetch = 5, Buffer = undefined');
  for (const cell of [
    'fetch()',
    'new fetch()',
    'fetch.x.y',
    'Buffer.from(1)',
    'const { from } = Buffer',
    '(await 5)()',
    '[...fetch]',
    'Buffer`x`'
  ]) {
    const { evalue, traceback } = await fails(cell);
    expect(`${String(evalue)}\n${String(traceback)}`).not.toMatch(/__stridelab/);
  }
  expect(await fails('fetch()')).toMatchObject({ evalue: 'fetch is not a function' });
  await last('%reset fetch Buffer');
});
