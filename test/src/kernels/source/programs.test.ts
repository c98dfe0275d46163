/** Programs with kernels, as Node loads them and as bundlers build them. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { rollup, type Plugin } from 'rollup';
import { root } from '../../../../scripts/setup/paths.mjs';
import { annotated, esbuildStridelab, rollupStridelab } from '../../../../src/bundler.ts';
import { run } from '../../../setup/repository.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stridelab-programs-'));
  write('package.json', '{ "type": "module" }');
  write('numbers.ts', 'export type f32 = number;\nexport const TILE: number = 4;');
  write(
    'helpers.ts',
    "import { type f32, TILE } from './numbers.ts';\nexport const scale = (x: f32): f32 => x * TILE;"
  );
  write('program.ts', PROGRAM);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PROGRAM = `import { scale } from './helpers.ts';
import type { f32 } from './numbers.ts';
const cuda = { kernel: <F extends object>(body: F): F => body };
const k = cuda.kernel((x: f32): f32 => scale(x)); const { stack } = new Error('here');
const sourceOf = (body: object): any => (body as any)[Symbol.for('stridelab.source')];
const { text, file, line, column, captured } = sourceOf(k);
const inner = sourceOf(captured.scale);
const at = /program\\.ts:\\d+:\\d+/.exec(stack!)?.[0];
console.log(JSON.stringify({ text, file, line, column, helper: inner.text, tile: inner.captured.TILE, at }));`;

const RESULT = {
  text: '(x: f32): f32 => scale(x)',
  file: expect.stringMatching(/^program\.ts$/) as string,
  line: 4,
  column: 22,
  helper: '(x: f32): f32 => x * TILE',
  tile: 4,
  at: 'program.ts:4:69'
};

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

async function printed(file: string, ...options: string[]): Promise<unknown> {
  const args = [
    '--enable-source-maps',
    '--disable-warning=ExperimentalWarning',
    ...options,
    join(folder, file)
  ];
  const { status, output, stdout } = await run(process.execPath, args);
  if (status !== 0) throw new Error(output);
  return JSON.parse(stdout);
}

describe('stridelab/register', () => {
  const hook = ['--import', join(root, 'dist/src/register.js')];

  test('gives kernels of TypeScript files their sources, with places unchanged', async () => {
    expect(await printed('program.ts', ...hook)).toEqual(RESULT);
  });

  test('works for JavaScript and CommonJS', async () => {
    const own = "cuda.kernel(x => n)[Symbol.for('stridelab.source')]";
    const cuda = 'const cuda = { kernel: body => body }; const n = 3;';
    write('a.mjs', `${cuda} export const a = ${own};`);
    write('b.cjs', `${cuda} exports.b = ${own};`);
    write('c.cts', `const m: number = 4; ${cuda} exports.c = ${own};`);
    write(
      'all.mjs',
      "import { a } from './a.mjs'; import { b } from './b.cjs'; import c from './c.cts';\n" +
        'console.log(JSON.stringify([a, b, c.c].map(({ text, captured }) => [text, captured.n])));'
    );
    expect(await printed('all.mjs', ...hook)).toEqual(Array(3).fill(['x => n', 3]));
  });

  test('keeps the source that a plugin has attached', async () => {
    write(
      'marked.ts',
      `const cuda = { kernel: <F extends object>(body: F): F => body };
      function next(x: number): number { return x + 1; }
      console.log(JSON.stringify((cuda.kernel(next) as any)[Symbol.for('stridelab.source')].text));`
    );
    const outfile = join(folder, 'marked.mjs');
    await build({ entryPoints: [join(folder, 'marked.ts')], outfile, plugins: [esbuildStridelab()] });
    const { status, output } = await run(process.execPath, [...hook, outfile]);
    expect({ status, output }).toEqual({
      status: 0,
      output: '"function next(x: number): number { return x + 1; }"\n'
    });
  });

  test('refuses a file whose types another hook has removed before', async () => {
    write(
      'strip.mjs',
      `import { registerHooks, stripTypeScriptTypes } from 'node:module';
      registerHooks({ load(url, context, next) {
        const loaded = next(url, context);
        return url.endsWith('.ts') ? { ...loaded, source: stripTypeScriptTypes(String(loaded.source)) } : loaded;
      } });`
    );
    const strip = ['--import', join(folder, 'strip.mjs')];
    const program = join(folder, 'program.ts');
    expect((await run(process.execPath, [...hook, ...strip, program])).status).toBe(0);
    expect((await run(process.execPath, [...strip, ...hook, program])).output).toMatch(
      /another loader has compiled .*program\.ts before.*put --import stridelab\/register before/
    );
  });

  test('leaves packages and files that do not parse as they are', async () => {
    mkdirSync(join(folder, 'node_modules/pack'), { recursive: true });
    write('node_modules/pack/package.json', '{ "type": "module", "main": "index.js" }');
    const body = "cuda.kernel(x => x)[Symbol.for('stridelab.source')]";
    write(
      'node_modules/pack/index.js',
      `const cuda = { kernel: f => f }; export const found = typeof ${body};`
    );
    write('user.mjs', "import { found } from 'pack'; console.log(JSON.stringify(found));");
    expect(await printed('user.mjs', ...hook)).toBe('undefined');
    write('wrong.mjs', 'cuda.kernel(x => ;');
    await expect(printed('wrong.mjs', ...hook)).rejects.toThrow(/wrong\.mjs:1\n[^]*SyntaxError/);
  });
});

describe('stridelab/bundler', () => {
  test('is a plugin of esbuild, also for minified programs', async () => {
    await build({
      entryPoints: [join(folder, 'program.ts')],
      outfile: join(folder, 'out.js'),
      absWorkingDir: folder,
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      sourcemap: true,
      plugins: [esbuildStridelab()]
    });
    expect(await printed('out.js')).toEqual(RESULT);
  });

  test('is a plugin of Rollup, before plugins that remove types', async () => {
    const types: Plugin = {
      name: 'types',
      transform: code => ({ code: stripTypeScriptTypes(code), map: null })
    };
    const bundle = await rollup({ input: join(folder, 'program.ts'), plugins: [types, rollupStridelab()] });
    await bundle.write({ file: join(folder, 'out.js'), format: 'es', sourcemap: true });
    await bundle.close();
    expect(await printed('out.js')).toEqual(RESULT);
  });

  test('annotates files for transformers of other tools', async () => {
    mkdirSync(join(folder, 'out'));
    for (const name of ['numbers', 'helpers', 'program']) {
      const path = join(folder, `${name}.ts`);
      const text = readFileSync(path, 'utf8');
      const { code } = annotated(path, text) ?? { code: text };
      write(`out/${name}.js`, stripTypeScriptTypes(code.replaceAll(".ts'", ".js'")));
    }
    expect(await printed('out/program.js')).toMatchObject({
      text: RESULT.text,
      line: 4,
      column: 22,
      helper: RESULT.helper,
      tile: 4
    });
  });

  test('leaves the library out of what esbuild bundles', async () => {
    write('uses.ts', "import { zeros } from 'stridelab';\nimport 'stridelab/memory';\nconsole.log(zeros);");
    const { outputFiles } = await build({
      entryPoints: [join(folder, 'uses.ts')],
      bundle: true,
      write: false,
      format: 'esm',
      plugins: [esbuildStridelab()]
    });
    expect(outputFiles[0]!.text).toMatch(/from "stridelab";[^]*import "stridelab\/memory";/);
  });

  test('changes no other files', () => {
    const { transform } = rollupStridelab();
    const kernel = 'cuda.kernel(x => x)';
    expect(transform.handler(kernel, join(folder, 'a.ts?v=1'))?.code).toContain('stridelab.source');
    for (const id of ['a.css', 'a.d.ts', 'node_modules/pack/a.js'])
      expect(transform.handler(kernel, join(folder, id))).toBeNull();
    expect(transform.handler(kernel, '\0virtual.js')).toBeNull();
    expect(transform.handler('list.map(x => x)', join(folder, 'a.ts'))).toBeNull();
  });
});
