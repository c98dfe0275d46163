import { CellComposer, type CellModule } from '../../../kernel/front/typescript/composer.ts';
import { readCell } from '../../../kernel/front/typescript/cell-facts.ts';

/** A cell that ran to completion. */
function ran(composer: CellComposer, code: string): CellModule {
  const module = composer.begin(code);
  composer.commit(module);
  return module;
}

test('the cell is at the start, and the names of earlier cells that it uses follow', () => {
  const composer = new CellComposer();
  const { file } = ran(composer, 'let x = 1; const y = 2; interface Z {}');
  const { text } = composer.begin('x + y');
  expect(text.startsWith('x + y\n;')).toBe(true);
  expect(text).toContain(`declare let x: typeof import("./${file}").x;`);
  expect(text).toContain(`import { y } from "./${file}";`);
  expect(text).not.toContain('Z');
});

test('a draft includes every name that can complete the word, and none where a member is expected', () => {
  const composer = new CellComposer();
  ran(composer, 'let xa = 1; const Xb = 2; interface Z {}');
  expect(composer.draft('x', 1).text).toMatch(/declare let xa[^]*import \{ Xb \}/);
  expect(composer.draft('x', 1).text).not.toContain('Z');
  expect(composer.draft('', 0).text).toContain('import { Z }');
  expect(composer.draft('q.', 2).text).not.toContain('import {');
});

test('a redeclared name is imported from the newest cell, and not into a cell that declares it', () => {
  const composer = new CellComposer();
  ran(composer, 'const x = 1');
  const { file, text } = ran(composer, "const [{ x }] = [{ x: 'a' }]; class C {}; enum E { A }");
  expect(text).toContain('export { x, C, E };');
  expect(text).not.toContain('import {');
  expect(composer.draft('x', 1).text).toContain(`import { x } from "./${file}"`);
});

test('cells that nothing needs any more are dropped; those that a check still needs stay', () => {
  const composer = new CellComposer();
  const first = ran(composer, 'let a = 1');
  const second = ran(composer, 'let b = a');
  const running = composer.begin('a + b');
  ran(composer, 'let a = 2');
  ran(composer, 'let b = 3');
  expect(composer.dependencies(running)).toEqual([first.file, second.file]);
  expect(composer.prune()).toEqual([]);
  composer.drop(running);
  expect(composer.prune()).toEqual([first.file, second.file]);
  expect(composer.prune()).toEqual([]);
});

test('a cell that ended without its names stays while a check reads it', () => {
  const composer = new CellComposer();
  const failing = composer.begin("import { x } from 'not-there'");
  const release = composer.hold(failing);
  composer.commit(failing, new Set());
  expect(composer.prune()).toEqual([]);
  release();
  expect(composer.prune()).toEqual([failing.file]);
});

test('a cell that declares nothing has no file', () => {
  const composer = new CellComposer();
  for (let n = 0; n < 3; n++) ran(composer, `console.log(${n})`);
  expect(composer.prune()).toEqual([]);
  expect(composer.begin('1').file).toBe(composer.begin('2').file);
});

test.each([
  ['declare const d: 1; declare function f(): void; type T = 1; interface I {}', ['d', 'f', 'T', 'I'], true],
  ['function f(): void; function f() {}', ['f'], false],
  ['interface M {} class M {}', ['M'], false],
  ['for (;;) { var deep = 1; function no() { var not = 1 } }', ['deep'], false],
  ['export default class D {}', ['D'], false],
  ["import a, { b as c } from 'm'", ['a', 'c'], false],
  ["import type { t } from 'm'", ['t'], true],
  ['namespace N {}; enum E {}', ['N', 'E'], false],
  ['const { a: { b }, ...rest } = o, [, c = 1] = []', ['b', 'rest', 'c'], false]
])('the names of %s', (code, names, erased) => {
  const { declared } = readCell(code);
  expect([...declared.keys()]).toEqual(names);
  for (const name of declared.values()) expect(name.erased).toBe(erased);
});

test('names are found in text that does not parse', () => {
  expect([...readCell('const point = 1; point.', { cursor: 23 }).declared.keys()]).toEqual(['point']);
  const { valid, declared } = readCell(
    'let a = 1\nfunction f() {\n let inner = 2 }\nconst = ; async function g('
  );
  expect(valid).toBe(false);
  expect([...declared.keys()]).toEqual(['a', 'f', 'g']);
});

test.each([
  ['class A { constructor(b) { this.b = b } }', 'js'],
  ['const List = ({ of }) => <ul>{of}</ul>', 'jsx'],
  ['let a: number', 'ts'],
  ['const f = <T,>(v: T) => <b>{v}</b>', 'tsx'],
  ['import { Shape } from "./shapes"', 'ts'],
  ['import { Shape } from "./shapes"; new Shape()', 'js'],
  ['import Shape, * as shapes from "./shapes"', 'js'],
  ['const = 1', 'ts']
])('if JavaScript is checked as such, %s is %s', (code, dialect) => {
  expect(readCell(code, { javaScript: true }).dialect).toBe(dialect);
});

test.each([
  ['document.title; new DOMParser()', ['document', 'DOMParser']],
  ['let e: HTMLElement', ['HTMLElement']],
  ['const { document } = page; document.title', []],
  ['"document.title"; page.document; ({ window: 1 }) // HTMLElement', []],
  ['page[document]', ['document']],
  ['name; status; new DOMException()', []]
])('the names of a page in %s are %j', (code, names) => {
  expect([...readCell(code).dom]).toEqual(names);
});

test('JSX of an imported package is selected in lines before the cell, unless the cell or the settings say otherwise', () => {
  const composer = new CellComposer();
  expect(ran(composer, '<b/>').header).toBe('');
  ran(composer, "import { h } from 'preact'");
  const { header, text } = composer.begin('<b/>');
  expect(header).toBe('/** @jsxImportSource preact */\n');
  expect(text).toMatch(/^<b\/>\n;/);
  expect(composer.begin('const a: number = 1').header).toBe('');
  expect(composer.begin('/** @jsx h */ <b/>').header).toBe('');
  expect(composer.begin('<b/>', { jsxImportSource: 'react' }).header).toBe('');
  expect(composer.draft("import React from 'react'; <b/>", 0).header).toContain('@jsxImportSource react ');
  const failed = composer.begin("import React from 'react'");
  composer.commit(failed, new Set());
  expect(composer.begin('<b/>').header).toBe(header);
});

test('cells with elements are TSX, others are not', () => {
  expect(readCell('const x = <b>1</b>').dialect).toBe('tsx');
  expect(readCell('const x = <T>(v: T) => v').dialect).toBe('ts');
  expect(readCell('const x = <b cl', { cursor: 15 }).dialect).toBe('ts');
});
