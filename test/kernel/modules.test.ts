import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { traceback } from './client.ts';
import { kernel, last, withKernel } from './one-kernel.ts';

withKernel();

let seconds = 1_600_000_000;
/** Gives every write a distinct time, however soon they follow each other. */
function write(file: string, text: string | Uint8Array): void {
  const path = join(kernel.folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  seconds += 1;
  utimesSync(path, seconds, seconds);
}

async function fails(cell: string): Promise<string> {
  const { reply } = await kernel.execute(cell);
  expect(reply['status']).toBe('error');
  return traceback(reply);
}

describe('what can be imported', () => {
  test('files with and without their extensions, folders, and sources by the names of their output', async () => {
    write('one.ts', 'export const one: number = 1; export default class Main {}');
    write(
      'lib/index.ts',
      "export { one } from '../one'; export enum Size { Big = 7 } export namespace N { export let v = 8 }"
    );
    write('view.tsx', 'export const view = (who: string) => <b>{who}</b>;');
    write('plain.mjs', 'export const plain = import.meta.filename;');
    write('old.cjs', 'exports.old = 2; exports["com" + "puted"] = 3;');
    write('older.js', 'module.exports = function () { return 4 };');
    write('a b%c.ts', 'export const odd = 9');
    expect(
      await last(
        `import Main, { one as uno } from './one';
        import { one, Size, N } from './lib';
        import { one as byOutput } from './one.js';
        import { view } from './view';
        import { plain } from './plain.mjs';
        import { old, computed } from './old.cjs';
        import older from './older.js';
        import { odd } from './a b%c';
        [Main.name, uno, one, Size.Big, N.v, byOutput, String(view('<')), plain.endsWith('plain.mjs'), old, computed, older(), odd].join()`
      )
    ).toBe("'Main,1,1,7,8,1,<b>&lt;</b>,true,2,3,4,9'");
  });

  test('JSON with and without its attribute, WebAssembly and built-in modules', async () => {
    write('data.json', '{ "three": 3 }');
    const add = '0061736d0100000001070160027f7f017f030201000707010361646400000a09010700200020016a0b';
    write('add.wasm', Buffer.from(add, 'hex'));
    expect(
      await last(
        `import data from './data.json'; import typed from './data.json' with { type: 'json' };
        import { add } from './add.wasm'; import { sep } from 'path'; import os from 'node:os';
        const dynamic = (await import('./data.json')).default.three;
        [data.three, typed.three, dynamic, require('./data.json').three, add(20, 22), sep, typeof os.EOL].join()`
      )
    ).toBe("'3,3,3,3,42,/,string'");
  });

  test('packages of the folder: ESM, CommonJS, linked TypeScript of a workspace', async () => {
    write(
      'node_modules/esm-only/package.json',
      '{ "name": "esm-only", "type": "module", "exports": { ".": "./main.js", "./sub": "./sub.js" } }'
    );
    write('node_modules/esm-only/main.js', 'await 0; export const esm = 1;');
    write('node_modules/esm-only/sub.js', 'export default 2;');
    write('node_modules/cjs/package.json', '{ "name": "cjs", "main": "main.js" }');
    write('node_modules/cjs/main.js', 'exports.cjs = 3;');
    write('workspace/index.ts', 'export const linked: number = 4;');
    write('workspace/package.json', '{ "name": "linked", "exports": "./index.ts" }');
    symlinkSync('../workspace', join(kernel.folder, 'node_modules/linked'));
    expect(
      await last(
        "import { esm } from 'esm-only'; import sub from 'esm-only/sub'; import { cjs } from 'cjs'; import { linked } from 'linked'; [esm, sub, cjs, require('cjs').cjs, linked].join()"
      )
    ).toBe("'1,2,3,3,4'");
    write('workspace/index.ts', 'export const linked: number = 5;');
    expect(await last("import { linked } from 'linked'; linked")).toBe('5');
  });

  test('modules through the paths of the tsconfig', async () => {
    write(
      'tsconfig.json',
      '{ "compilerOptions": { "paths": { "@/*": ["./src/*"], "exact": ["./src/exact.ts"] } } }'
    );
    write('src/deep/thing.ts', "export { exact } from 'exact'; export const thing = 1;");
    write('src/exact.ts', 'export const exact = 2;');
    expect(await last("import { thing, exact } from '@/deep/thing'; [thing, exact].join()")).toBe("'1,2'");
    rmSync(join(kernel.folder, 'tsconfig.json'));
    expect(await fails("import '@/deep/thing'")).toContain("'@/deep'");
  });

  test('CommonJS that is written in TypeScript, and files with decorators', async () => {
    write('written.cts', "import path = require('node:path'); const x: string = path.sep; export = { x };");
    write(
      'both.cts',
      "import { sep } from 'node:path'; export const y: string = sep + __filename.slice(-8);"
    );
    write('bare.ts', 'const value: number = 5; module.exports = { value };');
    write(
      'nice.ts',
      'export const log: string[] = []; const note = (v: unknown, c: DecoratorContext) => { log.push(c.kind) }; @note export class Nice { @note m() {} accessor a = 1 }'
    );
    expect(
      await last(
        "import { x } from './written.cts'; import { y } from './both.cts'; import { value } from './bare'; import { log } from './nice'; [x, y, value, require('./bare').value, log].join()"
      )
    ).toBe("'/,/both.cts,5,5,method,class'");
  });

  test('modules whose import.meta and require are those of a file in the folder', async () => {
    expect(
      await last(`[import.meta.dirname === '${kernel.folder}', import.meta.filename === import.meta.dirname + '/' + decodeURI(import.meta.url).split('/').pop(),
        import.meta.resolve('./one.js').endsWith('/one.ts'), import.meta.resolve('node:fs'), require.resolve('cjs').endsWith('main.js'), import.meta.main].join()`)
    ).toBe("'true,true,true,node:fs,true,false'");
  });

  test('exports of this package, from a folder without it', async () => {
    expect(
      await last(
        `const meta = import.meta.resolve('stridelab/package.json'); [meta.endsWith('/package.json'), require('stridelab/package.json').name, await import('stridelab') && typeof (await import('stridelab/managers/limiting'))].join()`
      )
    ).toBe("'true,stridelab,object'");
    const missing = await fails("await import('stridelab/not-there')");
    expect(missing).toContain("'./not-there' is not defined");
    expect(missing).not.toContain('%npm');
    expect(await fails("require.resolve('stridelab/not-there')")).not.toContain('%npm');
  });

  test('types that are imported without the keyword', async () => {
    write(
      'types.ts',
      "import { Other } from './other-types'; export interface Shape { o: Other } export const make = (): Shape => ({ o: 1 });"
    );
    write(
      'other-types.ts',
      'export type Other = number; export type { Other as Another }; export const value = 1;'
    );
    write(
      'uses.ts',
      "import { Another, value, type Other } from './other-types';\nimport {\n  Shape\n} from './types';\nlet s: Shape | Another | Other;\nexport const line = (): string => new Error(String(value)).stack!.split('\\n')[1]!;\n"
    );
    expect(await last("import { line } from './uses'; /uses\\.ts[^:]*:6:\\d+/.test(line())")).toBe('true');
    expect(await last("import { Shape, make } from './types'; const shape: Shape = make(); shape.o")).toBe(
      '1'
    );
    expect(await fails('Shape')).toContain('ReferenceError: Shape is not defined');
    expect(await fails("import { Shape } from './types'; Shape")).toContain(
      "not provide an export named 'Shape'"
    );
  });
});

describe('files that change', () => {
  test('are read again, with the modules that import them, and nothing else is', async () => {
    write('leaf.ts', 'export const leaf = 1;');
    write('other.ts', 'export const loads = [Math.random()];');
    write('middle.mts', "export { leaf } from './leaf'; export { loads } from './other';");
    write('root.js', "export * from './middle.mjs';");
    const cell = "import { leaf, loads } from './root.js'; [leaf, loads[0]]";
    const before = await last('let kept: unknown; const seen = () => leaf', cell, 'kept = loads[0]; seen()');
    expect(before).toBe('1');
    write('leaf.ts', 'export const leaf = 2;');
    // Other cells, and closures of earlier ones, see the new binding.
    expect(await last(`${cell};`, '[leaf, seen(), loads[0] === kept].join()')).toBe("'2,2,true'");
    expect(await last(cell.replace('leaf, loads', 'leaf'), 'leaf').catch(() => 'again')).toBe('2');
  });

  test('are read again by any kind of import', async () => {
    const formats: [string, (n: number) => string, string][] = [
      ['f1.json', n => `{ "n": ${n} }`, "(await import('./f1.json')).default.n"],
      ['f2.json', n => `{ "n": ${n} }`, "require('./f2.json').n"],
      ['f3.cjs', n => `exports.n = ${n}`, "require('./f3.cjs').n"],
      ['f4.cjs', n => `exports.n = ${n}`, "(await import('./f4.cjs')).n"],
      ['f5.ts', n => `export const n = ${n}`, "require('./f5').n"],
      ['f6.mjs', n => `export const n = ${n}`, "(await import('./f6.mjs')).n"]
    ];
    for (const [file, text, cell] of formats) {
      write(file, text(1));
      expect([file, await last(cell)]).toEqual([file, '1']);
      write(file, text(2));
      expect([file, await last(cell)]).toEqual([file, '2']);
    }
  });

  test('are read again within one cell, and in a cycle', async () => {
    write(
      'circle-a.ts',
      "import { b } from './circle-b'; export const a = 1; export const sum = () => a + b;"
    );
    write('circle-b.ts', "import { sum } from './circle-a'; export const b = 1; export { sum };");
    expect(await last("(await import('./circle-b')).sum()")).toBe('2');
    expect(
      await last(`require('node:fs').writeFileSync('circle-a.ts', "import { b } from './circle-b'; export const sum = () => 40 + b;");
        (await import('./circle-b')).sum()`)
    ).toBe('41');
  });

  test('that failed are tried again, whatever was wrong', async () => {
    write('needs.ts', "import { later } from 'comes-later'; export const got = later;");
    expect(await fails("import { got } from './needs'")).toContain("'comes-later'");
    write(
      'node_modules/comes-later/package.json',
      '{ "name": "comes-later", "type": "module", "exports": "./index.js" }'
    );
    write('node_modules/comes-later/index.js', 'export const later = 6');
    expect(await last("import { got } from './needs'; got")).toBe('6');
    write('throws.ts', 'export const t = globalThis.ready ?? null.x;');
    await fails("import { t } from './throws'");
    expect(await last('globalThis.ready = 1', "import { t } from './throws'; t")).toBe('1');
  });
});

describe('errors', () => {
  test('of missing modules have a position and advice', async () => {
    const text = await fails("1;\nimport { z } from '@scope/zod/v4';");
    expect(text).toMatch(/Cannot find package '@scope\/zod'.*%npm install @scope\/zod\n/);
    expect(text).toMatch(/at Cell \[\d+\]:2:/);
    expect(text).not.toMatch(/node:internal|imported from/);
    expect(await fails("\nawait import('nowhere')")).toMatch(/%npm install nowhere[^]*Cell \[\d+\]:2:14/);
    expect(await fails("\nrequire('nowhere/x')")).toMatch(/%npm install nowhere\n[^]*Cell \[\d+\]:2:9/);
    const file = await fails("import './missing'");
    expect(file).toMatch(/missing'.*no such file/);
    expect(file).not.toContain('%npm');
  });

  test('in imported files show the lines of these files, and the importers', async () => {
    write(
      'deep.ts',
      'interface Unused {\n  a: number;\n}\n\nexport function deep(o: any): string {\n  return o.missing.text as string;\n}\n'
    );
    write('calls.ts', "import { deep } from './deep';\ntype T = 1;\nexport const call = () => deep({});\n");
    const text = await fails("import { call } from './calls';\n\ncall()");
    expect(text).toMatch(
      /at deep \(deep\.ts:6:\d+\)\n.*\n.*\n.*6 \|   return o\.missing\.text as string;[^]*call \(calls\.ts:3:27\)[^]*Cell \[\d+\]:3:1/
    );
    write('at-load.mts', '// a comment\nexport {};\nconst x: any = null;\nx.y;\n');
    expect(await fails("\nimport './at-load.mts'")).toMatch(
      /at-load\.mts:4:3[^]*> 4 \| x\.y;[^]*Cell \[\d+\]:2:/
    );
    write('plain-error.js', 'export const f = () => {\n  throw new Error("plain");\n};\n');
    expect(await fails("import { f } from './plain-error.js'; f()")).toMatch(
      /plain-error\.js:2:9[^]*> 2 \|   throw/
    );
  });

  test('of their syntax and of their links have a position', async () => {
    write('broken.ts', 'export const ok = 1;\nconst bad: = 2;\n');
    expect(await fails("import './broken'")).toMatch(
      /SyntaxError: .*\n.*broken\.ts:2:12\n[^]*> 2 \| const bad: = 2;[^]*Cell \[\d+\]:1:/
    );
    write('broken.mjs', 'export const ok = 1;\nconst bad = = 2;\n');
    expect(await fails("import './broken.mjs'")).toMatch(/SyntaxError: .*\n.*broken\.mjs:2:13\n/);
    write('unlinked.ts', "export const x = 1;\nimport { nothing } from './one';\nconsole.log(nothing);\n");
    expect(await fails("import './unlinked'")).toMatch(/'nothing'[^]*unlinked\.ts:2/);
  });
});
