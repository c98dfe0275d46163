import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { field, traceback } from './client.ts';
import { kernel, last, withKernel } from './one-kernel.ts';

withKernel();

async function html(cell: string): Promise<unknown> {
  const { messages, reply } = await kernel.execute(cell);
  if (reply['status'] !== 'ok') throw new Error(traceback(reply));
  return field(
    messages.find(({ type }) => type === 'execute_result'),
    'content',
    'data',
    'text/html'
  );
}

describe('every kind of cell', () => {
  test.each<[string, string | undefined]>([
    ['', undefined],
    ['\n\n// nothing\n', undefined],
    ['#!/usr/bin/env node\nlet hash = 1; hash', '1'],
    ['\uFEFFlet bom = 1; bom', '1'],
    ['let cr = 1\r\nlet lf = 2\r\ncr + lf\r\n', '3'],
    ['const ünï = 1, \\u0061b = 2, 変 = 3; [ünï, ab, 変]', '[ 1, 2, 3 ]'],
    ['declare const never1: number; declare function never2(): void; 1', '1'],
    [
      'function over(a: string): 1; function over(a: number): 1; function over(a: unknown) { return 1 } over(1)',
      '1'
    ],
    ['enum Parts { A } enum Parts { B = 5 } Object.keys(Parts).join()', "'0,5,A,B'"],
    ['namespace Whole { export const a = 1 } namespace Whole { export let b = a + 1 } Whole.b', '2'],
    ['namespace Deep.er.est { export const a = 1 } Deep.er.est.a', '1'],
    ['function both() { return 1 } namespace both { export const x = 2 } both() + both.x', '3'],
    ['class Holder {} namespace Holder { export const x = 2 } Holder.x', '2'],
    ['namespace Inner { export const b = { c: 1 } } import alias = Inner.b; alias.c', '1'],
    ['const enum Bits { A = 1, B = A << 2 } Bits.B', '4'],
    ['abstract class Base { declare x: number; y!: string; static z = 1; abstract q(): void } Base.z', '1'],
    [
      'class Parameters1 { constructor(private x: number, public readonly y = 2) {} } new Parameters1(1).y',
      '2'
    ],
    ['class Auto { accessor x = 1; static accessor y = 2 } new Auto().x + Auto.y', '3'],
    ['const generic = <T>(x: T) => x; <number>generic(1)', '1'],
    ['const typed = { a: 1 } satisfies object as { a: number }; typed!.a', '1'],
    ['outer: for (const x of [1, 2]) { for (;;) continue outer } 1', '1'],
    ['let sum1 = 0; for await (const x of [1, Promise.resolve(2)]) sum1 += x; sum1', '3'],
    ['export default function () {}', undefined],
    ['export default class {}', undefined],
    ['export const [e1, { e2 = 3 } = {}] = [1]; export { e1 as e3 }; e2', '3'],
    ['import fs1 = require("node:path"); fs1.sep', "'/'"],
    ['interface Only { a: number } type Alias = Only', undefined],
    ['declare global { var everywhere: number } declare module "x" {} 1', '1'],
    ['debugger; 1', '1'],
    ['eval("hash")', '1'],
    ['let type = 1, as = 2, of = 3, async = 4, namespace = 5, from = 6; type + from', '7'],
    ['/(?<y>a)/v.exec("a")!.groups!.y', "'a'"]
  ])('%j', async (code, result) => {
    expect(await last(code)).toBe(result);
  });

  test('names that the kernel or Node use can be redefined', async () => {
    const names = [
      'require',
      'exports',
      'module',
      '__stridelab',
      '__dirname',
      'result',
      'console',
      'globalThis'
    ];
    const names2 = [
      'Promise',
      'undefined',
      'NaN',
      'process',
      'Buffer',
      'display',
      'setTimeout',
      'Error',
      '_jsx'
    ];
    for (const name of [...names, ...names2]) {
      expect(await last(`let ${name} = 5`, `${name} + 1`, '%reset ' + name)).toBe(undefined);
    }
    expect(
      await last(
        'const fetch = () => 1, Map = class {}; function Set() {} [fetch.name, Map.name, Set.name]',
        '%reset',
        'typeof fetch'
      )
    ).toBe("'function'");
  });

  test('a cell of 3,000 lines runs', async () => {
    const lines = Array.from({ length: 3_000 }, (_, i) => `const huge${i % 1000}_${i} = ${i};`);
    expect(await last([...lines, 'huge999_2999'].join('\n'))).toBe('2999');
    expect(await last('huge0_0 + 1')).toBe('1');
  });

  test('a resource declared with `using` lives as long as its cell', async () => {
    const { stdout, result } = await kernel.execute(`
      const open = (name: string) => ({ name, [Symbol.dispose]() { console.log('end of', this.name) },
        async [Symbol.asyncDispose]() { console.log('end of', this.name) } });
      using first = open('first'); await using second = open('second');
      for (using third of [open('third')]) console.log('in', third.name);
      first.name`);
    expect(stdout).toBe('in third\nend of third\nend of second\nend of first\n');
    expect(result).toBe("'first'");
    const failing = await kernel.execute("using again = open('again'); null.x");
    expect(failing.stdout).toBe('end of again\n');
    expect(await last('const again = 1; again')).toBe('1');
  });

  test('exports of unknown names are errors with a position', async () => {
    const { reply } = await kernel.execute('1\nexport { nobody as x }');
    expect(traceback(reply)).toMatch(/Export 'nobody' is not defined\n.*:2:10\n/);
  });
});

describe('a cell that is an object literal', () => {
  const isComplete = (code: string): Promise<unknown> =>
    kernel.request('is_complete_request', { code }).then(({ status }) => status);

  test('is complete for a console, and its beginning is not', async () => {
    expect(await isComplete('{ a: 1, b: 2 }')).toBe('complete');
    expect(await isComplete('{ a: 1,\n  b: 2')).toBe('incomplete');
    expect(await isComplete('{ a: 1,, }')).toBe('invalid');
    expect(await isComplete('{ let a = 1; a }')).toBe('complete');
  });
});

describe('decorators', () => {
  test('are the standard ones, with `using` beside them', async () => {
    const { stdout, result } = await kernel.execute(`
      const seen: string[] = [];
      function note(value: unknown, { kind, name }: DecoratorContext) { seen.push(kind + ' ' + String(name)) }
      function twice(value: (x: number) => number) { return function (this: unknown, x: number) { return 2 * value.call(this, x) } }
      await using late = { async [Symbol.asyncDispose]() { console.log('disposed') } };
      @note export class Decorated {
        @note field = 1; @note static accessor auto = 2; @note get got() { return 1 }
        @twice method(x: number) { return x + this.field }
      }
      const Anonymous = class { @note part = 1 };
      [new Decorated().method(20), seen.join(), Decorated.name]`);
    expect(result).toBe(
      "[\n  42,\n  'accessor auto,getter got,field field,class Decorated,field part',\n  'Decorated'\n]"
    );
    expect(stdout).toBe('disposed\n');
    expect(await last('new Decorated().method(1)')).toBe('4');
    expect((await kernel.execute('%who')).stdout).not.toMatch(/__esDecorate|_metadata|default_1|^_/m);
  });

  test('errors in them keep their positions', async () => {
    const { reply } = await kernel.execute(
      'const pass = (value: unknown, context: unknown) => {}\n@pass class Thrower {\n  run(): never { throw new Error("here") }\n}\nnew Thrower().run()'
    );
    expect(traceback(reply)).toMatch(/Thrower\.run \(Cell \[\d+\]:3:24\)/);
    expect(traceback(reply)).toMatch(/Cell \[\d+\]:5:15/);
    const syntax = await kernel.execute('@pass class Bad {\n  x: = 1\n}');
    expect(traceback(syntax.reply)).toMatch(/SyntaxError.*\n.*:2:6\n/);
  });
});

describe('the tsconfig.json of the notebook', () => {
  const settings = (text: string): void => writeFileSync(join(kernel.folder, 'tsconfig.json'), text);
  afterAll(() => rmSync(join(kernel.folder, 'tsconfig.json')));

  test('selects legacy decorators with metadata, from the next cell on and through `extends`', async () => {
    writeFileSync(
      join(kernel.folder, 'base.json'),
      '{ "compilerOptions": { "experimentalDecorators": true, "emitDecoratorMetadata": true } }'
    );
    settings('{ // a comment\n "extends": "./base.json", }');
    expect(
      await last(`Reflect.metadata = (key: string, value: any) => (target: any, name: string) => { (target.meta ??= []).push(key, value?.name ?? value?.map((v: any) => v.name)) };
        class Engine {}
        const param = (target: any, name: string, index: number) => { (target.meta ??= []).push(index) };
        const keep = (target: any, name: string) => {};
        class Car { constructor(public e: Engine) {} @keep drive(@param speed: number, e: Engine): void {} }
        (Car.prototype as any).meta.flat().join()`)
    ).toBe("'design:returntype,,design:paramtypes,Number,Engine,design:type,Function,0'");
    settings('{}');
    expect(await last('class Again { @((v: any, c: any) => { kind = c.kind }) m() {} } var kind; kind')).toBe(
      "'method'"
    );
  });

  test('selects how class fields are initialized', async () => {
    const cell =
      'class Setter { log = ""; set x(v: number) { this.log += v } } class Sub extends Setter { x = 5; y: number }; const sub = new Sub() as any; [sub.log, "y" in sub]';
    expect(await last(cell)).toBe("[ '', true ]");
    settings('{ "compilerOptions": { "useDefineForClassFields": false } }');
    expect(await last(cell)).toBe("[ '5', false ]");
  });

  test('selects what a semicolon at the end of a cell does', async () => {
    const shown = async (cell: string): Promise<unknown> => (await kernel.execute(cell)).result;
    settings('{ "stridelab": { "semicolon": "hide" } }');
    for (const cell of [
      '1 + 1;',
      '1 + 1; // why;',
      '1 + 1; /* a */ ',
      'for (const x of [1]) x;',
      '{ a: 1 };',
      ''
    ])
      expect(await shown(cell)).toBeUndefined();
    for (const cell of ['1 + 1', '1 + 1 // a;', '"a;"', 'if (true) { 5; }'])
      expect(await shown(cell)).toBeDefined();
    await kernel.execute('%env STRIDELAB_SEMICOLON=show');
    expect(await shown('1 + 1;')).toBe('2');
    settings('{}');
    await kernel.execute('%env STRIDELAB_SEMICOLON=hide');
    expect(await shown('1 + 1;')).toBeUndefined();
    expect((await kernel.execute('%env STRIDELAB_SEMICOLON=silent\n1;')).stderr).toBe(
      'STRIDELAB_SEMICOLON is "silent", expected show or hide.\n'
    );
    expect(await kernel.execute('1;')).toMatchObject({ result: '1', stderr: '' });
    await kernel.execute('delete process.env.STRIDELAB_SEMICOLON;');
  });

  test('is reported once when it is malformed, and used again when it is corrected', async () => {
    settings('{ "compilerOptions": {\n "jsx" "react" } }');
    expect((await kernel.execute('1')).stderr).toMatch(/^tsconfig\.json:2: /);
    expect((await kernel.execute('1')).stderr).toBe('');
    settings('{ "extends": "./nowhere.json" }');
    expect((await kernel.execute('1')).stderr).toMatch(/^tsconfig\.json: .*nowhere/);
    settings('{ "compilerOptions": { "jsx": "react", "jsxFactory": "h" } }');
    expect(await last('const h = (...parts: unknown[]) => parts.length; <b a="1">x</b>')).toBe('3');
  });
});

describe('JSX', () => {
  test('shows HTML without any package or setting', async () => {
    expect(await html('<b>hi</b>')).toBe('<b>hi</b>');
    expect(
      await html('const who = "<you>"; <><p class="x">Hello {who}</p>\n{[1, 2].map(n => <li>{n}</li>)}</>')
    ).toBe('<p class="x">Hello &lt;you&gt;</p><li>1</li><li>2</li>');
    expect(
      await html(
        'const Card = async ({ n, children }: { n: number; children?: any }) => <h1 id={String(n)}>{children}</h1>;\n<Card n={1}>in <i/></Card>'
      )
    ).toBe('<h1 id="1">in <i></i></h1>');
    expect(await html('<Card n={2}/>')).toBe('<h1 id="2"></h1>');
    expect(await html('<b>loud</b>;')).toBe('<b>loud</b>');
    expect(await html('void <b>silent</b>')).toBe(undefined);
  });

  test('leaves no name of its own, and works with any name of the user', async () => {
    expect(await last('let _jsx = 1; <b/>; _jsx')).toBe('1');
    expect((await kernel.execute('%who')).stdout).not.toContain('_jsxs');
  });

  test('errors keep their positions', async () => {
    const { reply } = await kernel.execute(
      'const missing: any = null;\nconst shown = <p>\n  {missing.text}\n</p>'
    );
    expect(traceback(reply)).toMatch(/Cell \[\d+\]:3:12/);
    const broken = await kernel.execute('<p>\n  <b>\n</p>');
    expect(traceback(broken.reply)).toMatch(/SyntaxError[^]*:3:/);
    const { stderr } = await kernel.execute('const Bad = () => { throw new Error("in Bad") };\n<Bad/>');
    expect(stderr).toMatch(/Error: in Bad[^]*Bad \(Cell/);
  });

  test('follows the comments that select a runtime', async () => {
    expect(await last('/** @jsx h */\nconst h = (tag: string) => tag + "!"; <b/>')).toBe("'b!'");
  });

  test('of React and Preact is shown by their own packages', async () => {
    const packages = join(kernel.folder, 'node_modules');
    mkdirSync(packages);
    for (const name of ['react', 'react-dom']) {
      symlinkSync(join(import.meta.dirname, '../../node_modules', name), join(packages, name));
    }
    const preact = "({ type: 'i', props: {}, __k: null, constructor: undefined })";
    expect(await html(preact)).toContain('%npm install preact-render-to-string');
    mkdirSync(join(packages, 'preact-render-to-string'));
    writeFileSync(
      join(packages, 'preact-render-to-string/index.js'),
      'exports.render = ({ type }) => `<${type}>`;'
    );
    const cell =
      '/** @jsxImportSource react */\nconst Hello = ({ to }: { to: string }) => <p className="x">to {to}</p>; <Hello to="<you>"/>';
    expect(await html(cell)).toBe('<p class="x">to &lt;you&gt;</p>');
    expect(await html(preact)).toBe('<i>');
    expect(await html(preact.replace('undefined', "Symbol.for('pv')"))).toBe('<i>');
  });
});
