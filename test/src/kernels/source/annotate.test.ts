import { stripTypeScriptTypes } from 'node:module';
import { compileFunction } from 'node:vm';
import { annotate } from '../../../../src/kernels/source/annotate.ts';
import { inserted } from '../../../../src/kernels/source/insertions.ts';
import { SOURCE, type FunctionSource } from '../../../../src/kernels/source/function-source.ts';

const ORIGIN = { file: 'cell 5', line: 1 };

function annotated(text: string): string {
  return inserted(text, annotate(text, ORIGIN, 'ts'));
}

/** Runs the body of a function whose `cuda` returns functions as they are; returns what `value` is in the end. */
function run(text: string, value: string): unknown {
  const same = (body: unknown): unknown => body;
  const cuda = { kernel: same, map: same, reduce: same, scan: same, filter: same };
  const code = stripTypeScriptTypes(annotated(`${text}\nfinish(() => ${value});`));
  let read = (): unknown => undefined;
  const finish = (given: () => unknown): void => void (read = given);
  const start = compileFunction(`"use strict";${code}`, ['cuda', 'finish']) as (...given: unknown[]) => void;
  start(cuda, finish);
  return read();
}

function sourceIn(text: string, value = 'k'): FunctionSource | undefined {
  return (run(text, value) as { readonly [SOURCE]?: FunctionSource })[SOURCE];
}

function captured(text: string, value = 'k'): string[] {
  return Object.keys(sourceIn(text, value)!.captured);
}

describe('the functions that get a source', () => {
  test.each([
    ['an arrow function', 'const k = cuda.kernel((x: f32) => x);', '(x: f32) => x'],
    ['a function expression', 'const k = cuda.map(function (x: f32) {});', 'function (x: f32) {}'],
    ['a name', 'const f = x => x; const k = cuda.reduce(f);', 'x => x'],
    ['the name of a declaration', 'const k = cuda.scan(f); function f(x: i32) {}', 'function f(x: i32) {}'],
    ['a function with a type', 'const k = cuda.filter(((x) => x) as F);', '(x) => x'],
    ['a call with types', 'const k = cuda.kernel<f32, (x: f32) => f32>(x => x);', 'x => x'],
    ['an optional call', 'const k = cuda?.kernel?.(x => x);', 'x => x'],
    ['a name with a type', 'const f = (x => x) satisfies F; const k = cuda.kernel(f!);', 'x => x'],
    ['a namespace', 'const s = { cuda }; const k = s.cuda.kernel(x => x);', 'x => x'],
    ['inside a function', 'const make = () => cuda.kernel(x => x); const k = make();', 'x => x'],
    ['inside a class', 'class A { static k = cuda.kernel(x => x) } const { k } = A;', 'x => x'],
    ['spaces', 'const k = cuda\n  .kernel (\n x => x\n);', 'x => x']
  ])('%s', (_, text, source) => {
    expect(sourceIn(text)?.text).toBe(source);
  });

  test.each([
    ["import { cuda as c } from 'stridelab'; c.kernel(x => x)", 1],
    ["import { other as c, cuda } from 'stridelab'; c.kernel(x => x)", 0],
    ["import { cuda as c } from 'elsewhere'; c.kernel(x => x)", 0],
    ["import * as s from 'stridelab'; s.cuda.map(x => x)", 1],
    ['cuda.compile(x => x)', 0],
    ['list.map(x => cuda)', 0],
    ["cuda['map'](x => x)", 0],
    ['cuda.kernel()', 0],
    ['cuda.kernel(unknown)', 0],
    ['cuda.kernel(f); let f = x => x; var g = 1', 1],
    ['var f = x => x; var f = x => 2; cuda.kernel(f)', 0],
    ['cuda.kernel(x => ;', 0],
    ['x => y; // cuda.kernel(x => x)', 0]
  ])('%j has %d', (text, count) => {
    expect(annotated(text).split('"stridelab.source"')).toHaveLength(count + 1);
  });

  test('functions with numbers of kernels in their types, which kernels of other files may call', () => {
    expect(annotated('export const f = (x: f32) => x')).toContain('text: "(x: f32) => x"');
    expect(annotated('export function f(x: Readonly<DeviceArray<bf16>>) {}')).toContain('text: "function f');
    expect(annotated('const f = (n: number): u8 => n')).toContain('text: "(n: number)');
    expect(annotated('export const f = (x: f320, text: string) => x')).not.toContain('stridelab.source');
    expect(annotated('const o: f32 = 3; const f = (x: number) => o')).not.toContain('stridelab.source');
  });

  test('what kernels call, directly and through each other', () => {
    const text = `
      const k = cuda.kernel((x) => even(x) + twice(x));
      function even(x) { return x === 0 || odd(x - 1); }
      function odd(x) { return x !== 0 && even(x - 1); }
      const twice = (x) => x * 2;
      const unused = (x) => x;`;
    const { captured } = sourceIn(text)!;
    expect(Object.keys(captured)).toEqual(['even', 'twice']);
    const { even, twice } = captured as Record<string, { [SOURCE]: FunctionSource }>;
    expect(twice![SOURCE].text).toBe('(x) => x * 2');
    const { odd } = even![SOURCE].captured as Record<string, { [SOURCE]: FunctionSource }>;
    expect(odd![SOURCE].text).toBe('function odd(x) { return x !== 0 && even(x - 1); }');
    expect(sourceIn(text, 'unused')).toBeUndefined();
  });

  test('what kernels of a function call, with the values of that call', () => {
    const text = `
      function make(size: number) {
        'use strict';
        const k = cuda.kernel((x) => helper(x));
        return k;
        function helper(x) { return x * size; }
      }
      const three = make(3), four = make(4);`;
    const sizes = ['three', 'four'].map(name => {
      const { helper } = sourceIn(text, name)!.captured as Record<string, { [SOURCE]: FunctionSource }>;
      return helper![SOURCE].captured['size'];
    });
    expect(sizes).toEqual([3, 4]);
  });

  test('a function inside another one, up to the same end', () => {
    expect(sourceIn('const k = cuda.kernel(a => cuda.map(b => a + b))')?.text).toBe(
      'a => cuda.map(b => a + b)'
    );
    const inner = 'cuda.kernel(a => cuda.map(b => a + b))(1)';
    expect(sourceIn(`const k = ${inner}`)?.text).toBe('b => a + b');
  });
});

describe('the captured names', () => {
  test.each([
    [
      'values, functions and globals',
      'let n = 1; const k = cuda.kernel(x => Math.abs(n) + x)',
      ['Math', 'n']
    ],
    ['no names of types', 'const k = cuda.kernel((x: f32): g => x as h satisfies i)', []],
    ['no types of values', 'const k = cuda.kernel((x: typeof n) => { let y: Array<m> = x!; })', []],
    ['values beside their types', 'const k = cuda.kernel((x: f32) => f32(x))', ['f32']],
    [
      'no names of its own',
      'const k = cuda.kernel(({ a, b: [c = d] }, ...e) => { var f = a + c + e; for (const g of f); })',
      ['d']
    ],
    ['no members and keys', 'const k = cuda.kernel(x => ({ a: x.b, c, d() {} }))', ['c']],
    ['assigned names', 'let n; const k = cuda.kernel(x => { n = x; m++; })', ['n', 'm']],
    [
      'names used before they are declared',
      'const k = cuda.kernel(x => { y = x; var y; z(); function z() {} })',
      []
    ],
    ['names that inner blocks declare', 'const k = cuda.kernel(x => { { let y = 1; } return y; })', ['y']],
    ['no labels', 'const k = cuda.kernel(x => { a: for (;;) { continue a; } })', []],
    ['no arguments', 'const k = cuda.kernel(function () { return arguments[0]; })', []],
    ['not a function’s own name', 'const k = cuda.kernel(function f(x) { return f(x); })', []],
    ['names of default values', 'const k = cuda.kernel((x = n) => x)', ['n']],
    ['each name once', 'const k = cuda.kernel(x => n + n + n)', ['n']],
    ['undefined and the like', 'const k = cuda.kernel(x => x === undefined || NaN)', ['undefined', 'NaN']],
    ['names of the kernel’s functions', 'const k = cuda.kernel(x => { const f = y => y + n; f(x); })', ['n']]
  ])('have %s', (_, text, names) => {
    expect(captured(text).sort()).toEqual([...names].sort());
  });

  test('read the present values', () => {
    expect(sourceIn('let n = 1; const k = cuda.kernel(x => n); n = 2;')!.captured['n']).toBe(2);
    expect(sourceIn('const k = cuda.kernel(x => n); const n = 3;')!.captured['n']).toBe(3);
  });

  test('throw if they are not defined', () => {
    const { captured } = sourceIn('const k = cuda.kernel(x => nowhere)')!;
    expect(() => captured['nowhere']).toThrow('nowhere is not defined');
  });
});

describe('the source', () => {
  test('has the file and the place where the text starts', () => {
    const text = `\n  const k = cuda.kernel(\n    (x: f32) => {\n      return x;\n    }\n  );`;
    expect(sourceIn(text)).toMatchObject({
      text: '(x: f32) => {\n      return x;\n    }',
      file: 'cell 5',
      line: 3,
      column: 4
    });
  });

  test('counts lines from the line of the text in its file', () => {
    const [, after] = annotate('\ncuda.kernel(x => x)', { file: 'a "b".ts', line: 40 }, 'ts');
    expect(after?.text).toContain('file: "a \\"b\\".ts", line: 41, column: 12');
  });

  test('is of the text as it is written', () => {
    const text = 'x => { `a\n${"\\u2028"}`; /* \u2028 */ return "\\"" + \'\\n\' }';
    expect(sourceIn(`const k = cuda.kernel(${text})`)?.text).toBe(text);
  });

  test('adds no lines, so that only columns move', () => {
    const text =
      'const a = 1;\nconst k = cuda.kernel(x => {\r\n  "\u2028";\n  f(x);\n});\nfunction f(x) {\n}\n';
    for (const { text: added } of annotate(text, ORIGIN, 'ts'))
      expect(added).not.toMatch(/[\n\r\u2028\u2029]/);
  });

  test('is there before the first statement', () => {
    expect(captured('const k = cuda.kernel(f); const seen = f; function f(x) { return n; }', 'seen')).toEqual(
      ['n']
    );
  });

  test('leaves directives and decorators first', () => {
    expect(annotated("'use client';\ncuda.map(f);\nfunction f() {}")).toMatch(
      /^'use client';\nObject\.define/
    );
    expect(annotated('@dec class A {}\ncuda.map(f);\nfunction f() {}')).toMatch(
      /^Object\.define.*; @dec class/
    );
    expect(annotated('@dec export class A {}\ncuda.map(f);\nfunction f() {}')).toMatch(
      /^Object\..*; @dec export/
    );
    expect(annotated('export @dec class A {}\ncuda.map(f);\nfunction f() {}')).toMatch(
      /^Object\..*; export @dec/
    );
  });

  test.each([
    ['const name = cuda.kernel(x => x);', 'name'],
    ['const helper = (x) => x; const name = cuda.kernel(helper);', 'helper'],
    ['const name = cuda.kernel(function own() {});', 'own'],
    ['const name = cuda.kernel(own); function own() {}', 'own']
  ])('%s keeps the name of the function', (text, name) => {
    expect((run(text, 'name') as { name: string }).name).toBe(name);
  });

  test('changes neither the text nor the result of functions', () => {
    const k = run('const f = (x) => x * n; const n = 3; const k = cuda.kernel(f);', 'k') as (
      x: number
    ) => number;
    expect(k(2)).toBe(6);
    expect(String(k)).toBe('(x) => x * n');
  });
});

test('JSX is understood where it is the language', () => {
  const text = 'const view = <button onClick={() => cuda.map((x: f32) => n)}>go</button>;';
  expect(inserted(text, annotate(text, ORIGIN, 'tsx'))).toContain('text: "(x: f32) => n"');
  expect(annotate(text, ORIGIN, 'ts')).toEqual([]);
});
