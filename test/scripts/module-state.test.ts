import { hasState } from '../../scripts/setup/module-state.mjs';

test.each([
  [
    'functions, types and imports',
    "import { a } from './a.ts';\nexport interface B { c: number }\nexport function d(): B { return a() }"
  ],
  [
    'constants',
    "const LIMIT = -2 * 16;\nexport const NAMES = ['a', LIMIT] as const;\nexport const BY_NAME = { a: [1], ...OTHER };"
  ],
  ['filled collections', "const WORDS: ReadonlySet<string> = new Set(['a', 'b']);"],
  ['keys that all modules share', "const KEY = Symbol.for('stridelab.key');"],
  ['regular expressions without a place', 'const WORD = /\\w+/u;'],
  [
    'regular expressions made of texts',
    "const A = new RegExp(String.raw`\\b${WORD}`);\nconst B = new RegExp('a', 'iu');"
  ],
  [
    'functions as values',
    'export const twice = (x: number): number => 2 * x;\nexport default function () {}'
  ],
  ['re-exports', "export * from './a.ts';\nexport { b } from './b.ts';"]
])('a module of %s has no state', (_, code) => {
  expect(hasState('module.ts', code)).toBe(false);
});

test.each([
  ['a variable', 'let count = 0;\nexport const next = () => count++;'],
  ['a class', 'export class Fault extends Error {}'],
  ['an empty object', 'const cache: Record<string, number> = {};'],
  ['an empty array', 'export const list: number[] = [];'],
  ['an empty object inside of a constant', 'const TABLE = { a: {} };'],
  ['an empty collection', 'const seen = new Map();'],
  ['a collection without strong references', 'const known = new WeakMap([[KEY, 1]]);'],
  ['a symbol of its own', "const KEY = Symbol('key');"],
  ['a regular expression that keeps its place', 'const WORD = /\\w+/g;'],
  ['a regular expression made with flags that keep its place', "const WORD = new RegExp('a', 'g');"],
  ['a regular expression made with unknown flags', "const WORD = new RegExp('a', flags);"],
  ['the result of a call', 'const worker = start();'],
  ['a statement', 'globalThis.known = true;'],
  ['a variable that it exports later', 'let a = 1;\nexport { a };']
])('a module with %s has state', (_, code) => {
  expect(hasState('module.ts', code)).toBe(true);
});
