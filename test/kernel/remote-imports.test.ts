import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RemoteImports } from '../../kernel/executor/modules/remote-imports.ts';
import { RemoteImportError, type RemoteScheme } from '../../kernel/executor/modules/remote-scheme.ts';
import { ownFile } from '../../kernel/executor/modules/hooks.ts';
import { namedModules } from '../../kernel/protocol/module-specifiers.ts';
import { remoteMentions } from '../../kernel/protocol/remote-specifiers.ts';
import { TsConfigReader } from '../../kernel/protocol/tsconfig.ts';

const NEVER = new AbortController().signal;

function notebook(prepare: (specifiers: readonly string[]) => readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'remote-imports-'));
  const config = new TsConfigReader(folder).read();
  const schemes = (prefix: string): RemoteScheme => ({
    takes: specifier => specifier.startsWith(prefix),
    prepare: specifiers => Promise.resolve().then(() => prepare(specifiers)),
    list: () => [],
    lock: () => Promise.resolve(),
    clear: () => Promise.resolve(),
    resolve: specifier =>
      specifier === 'npm:there' ? { specifier: 'there', parent: 'file:///x/' } : undefined
  });
  const remote = new RemoteImports({
    schemes: () => Promise.resolve([schemes('npm:'), schemes('https:')]),
    ownFile: (specifier, importer) => ownFile(config, specifier, importer),
    mapsNames: false
  });
  return { folder, remote, cell: join(folder, 'cell') };
}

test('the literals that name modules are found with their kind and place', () => {
  const code = `'😀'; import a, { type T } from 'a'; import type { U } from "b"; export * from 'c';
    type V = import('d').V; import e = require('e'); require('f'); await import('g'); import(name); other('h');`;
  expect(namedModules(code, 'ts').map(({ specifier, kind }) => `${kind} ${specifier}`)).toEqual([
    'static a',
    'type b',
    'static c',
    'type d',
    'require e',
    'require f',
    'dynamic g'
  ]);
  expect(code.slice(namedModules(code, 'ts')[0]!.start)).toMatch(/^'a'/);
  expect(namedModules('import a from', 'ts')).toEqual([]);
});

test.each([
  [
    `import a from 'npm:a'; import "jsr:@b/c"; export * from "https://d.e/f.ts"`,
    ['npm:a', 'jsr:@b/c', 'https://d.e/f.ts']
  ],
  [
    "await import( /* why */ 'npm:a' ); require(`npm:b`); import // what\n'npm:c'",
    ['npm:a', 'npm:b', 'npm:c']
  ],
  ['/** @jsxImportSource npm:preact@10 */ <p />', ['npm:preact@10/jsx-runtime']],
  ["import a from 'npm:a", []],
  ["fetch('https://a.b/c'); const from = { url: 'https://a.b' }; 'npm:a'", []],
  ["import { display } from 'https://deno.land/x/display@v1.1.2/mod.ts'", []]
])('the remote modules that imports of %j name', (code, expected) => {
  expect(remoteMentions(code)).toEqual(expected);
});

describe('before a cell runs', () => {
  test('code without remote imports waits for nothing', () => {
    const { remote, cell, folder } = notebook(() => []);
    writeFileSync(join(folder, 'plain.ts'), "import 'node:fs'; export * from 'zod';");
    for (const code of ['1 + 1', "import './plain'; import 'zod'", "fetch('https://x.y')", "'npm:a'"])
      expect(remote.prepareCell(code, cell, NEVER)).toBeUndefined();
    expect(remote.prepareImport('zod', cell, NEVER)).toBeUndefined();
  });

  test('all that it and the files below it need is prepared at once, a dynamic import when it runs', async () => {
    const calls: (readonly string[])[] = [];
    const { remote, cell, folder } = notebook(specifiers => {
      calls.push(specifiers);
      return specifiers.includes('https://x/a') ? ['npm:inner', 'https://x/a'] : [];
    });
    writeFileSync(join(folder, 'util.ts'), "import './loop'; const b = await import('npm:b');");
    writeFileSync(join(folder, 'loop.ts'), "import './util'; import type { C } from 'npm:c';");
    await remote.prepareCell(
      "import 'npm:a'; import './util'; require('npm:d'); import('npm:later'); import 'https://x/a'",
      cell,
      NEVER
    );
    expect(calls).toEqual([['npm:a', 'npm:c', 'npm:b', 'npm:d'], ['https://x/a'], ['npm:inner']]);
    await remote.prepareImport('./util', cell, NEVER);
    expect(calls.at(-1)).toEqual(['npm:c', 'npm:b']);
  });

  test('the runtime that a comment chooses for JSX is one of them', async () => {
    const calls: (readonly string[])[] = [];
    const { remote, cell } = notebook(specifiers => {
      calls.push(specifiers);
      return [];
    });
    await remote.prepareCell('/** @jsxImportSource npm:preact@10 */ <b/>', cell, NEVER);
    expect(calls).toEqual([['npm:preact@10/jsx-runtime']]);
  });

  test('a static import that fails stops it, with the place; others fail when they run', async () => {
    const { remote, cell } = notebook(specifiers => {
      if (specifiers.includes('npm:bad')) throw new RemoteImportError('no bad', 'npm:bad');
      return [];
    });
    const code = "import 'npm:good'; import 'npm:bad';";
    await expect(remote.prepareCell(code, cell, NEVER)).rejects.toMatchObject({
      message: 'no bad',
      start: code.indexOf("'npm:bad'")
    });
    await remote.prepareCell("import 'npm:good'; if (never) require('npm:bad')", cell, NEVER);
    expect(() => remote.resolve('npm:bad', 'file:///cell')).toThrow('no bad');
  });
});

test('a specifier resolves by its scheme; one that nothing prepared says so', async () => {
  const { remote, cell } = notebook(() => []);
  expect(() => remote.resolve('npm:there', 'file:///cell')).toThrow(/npm:there was not prepared/);
  await remote.prepareImport('npm:there', cell, NEVER);
  expect(remote.resolve('npm:there', 'file:///cell')).toEqual({ specifier: 'there', parent: 'file:///x/' });
  expect(remote.resolve('zod', 'file:///cell')).toBeUndefined();
  expect(() => remote.resolve('npm:absent', 'file:///cell')).toThrow(/literal specifier/);
});
