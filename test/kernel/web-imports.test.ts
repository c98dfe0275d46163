import { jest } from '@jest/globals';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { declarationPath, endingOf, withEnding } from '../../kernel/executor/imports/web/media.ts';
import { specifiersIn, withUrls } from '../../kernel/executor/imports/web/specifiers.ts';
import { webPath } from '../../kernel/protocol/web-files.ts';
import { plain, type KernelClient } from './client.ts';
import { fails, startKernel, value } from './several-kernels.ts';
import { FakeRegistry } from './fake-registry.ts';
import { FakeSite, redirectTo } from './fake-site.ts';

// The machine may be busy.
jest.setTimeout(120_000);

const TYPESCRIPT = 'application/typescript';
const FILES = {
  '/tools': redirectTo('/tools@1.2'),
  '/tools@1.2': {
    text: 'export { half } from "/v1/half.mjs"; export default { name: "tools" };',
    headers: { 'x-typescript-types': '/v1/types.d.ts' }
  },
  '/v1/half.mjs': {
    text: "import { sep } from 'node:path'; export const half = n => n / 2; export const place = import.meta.url + sep;"
  },
  '/v1/types.d.ts': {
    type: TYPESCRIPT,
    text: "import type { Whole } from './whole.d.ts';\nexport declare function half(n: Whole): number;\ndeclare const tools: { name: string };\nexport default tools;"
  },
  '/v1/whole.d.ts': { type: TYPESCRIPT, text: 'export type Whole = number & {};' },
  '/shapes.ts': {
    type: 'video/mp2t',
    text: "import data from './data.json' with { type: 'json' };\nenum Kind { Square = 2 }\nexport const size: number = data.size * Kind.Square;\nexport function fails(): never {\n  throw new RangeError('no such shape');\n}"
  },
  '/data.json': { type: 'application/json', text: '{"size": 21}' },
  '/broken.js': { text: 'export const a = ;' },
  '/page': { type: 'text/html; charset=utf-8', text: '<p>' },
  '/needs-missing.js': { text: "import './missing.js';" },
  '/needs-file.js': { text: "import 'file:///etc/hostname';" },
  '/needs-name.js': { text: "import 'lodash';" },
  '/circle': redirectTo('/circle'),
  '/types-lost.js': { text: 'export const lost = 1;', headers: { 'x-typescript-types': '/no-such.d.ts' } }
} as const;

let site: FakeSite;
let cache: string;

beforeEach(async () => {
  site = await FakeSite.start(FILES);
  cache = mkdtempSync(join(tmpdir(), 'web-imports-'));
});
afterEach(() => {
  site.close();
});

const start = (folder?: string, environment: Record<string, string> = {}): Promise<KernelClient> =>
  startKernel({ STRIDELAB_IMPORTS_DIR: cache, ...environment }, folder);

const toolsAndShapes = (): string => `
  import tools, { half } from '${site.url}/tools#fragment';
  import { size } from '${site.url}/shapes.ts';
  import data from '${site.url}/data.json';
  const { place } = await import('${site.url}' + '/v1/half.mjs');
  [tools.name, half(size), data.size, place.replace('${site.url}', '')].join()`;

describe('what can be imported', () => {
  test('JavaScript, TypeScript and JSON, with redirects; a second kernel needs no server', async () => {
    const kernel = await start();
    const { result, stdout } = await kernel.execute(toolsAndShapes());
    expect(result).toBe("'tools,21,21,/v1/half.mjs/'");
    expect(stdout).toMatch(
      /Fetched 6 modules \(\d+ B\) from 127\.0\.0\.1:\d+\. This code can do all that you can\./
    );
    expect([...new Set(site.requests)]).toHaveLength(site.requests.length);
    site.close();
    const second = await start();
    const offline = await second.execute(toolsAndShapes());
    expect(offline).toMatchObject({ result: "'tools,21,21,/v1/half.mjs/'", stdout: '' });
  });

  test('from the user’s own modules, and packages from the web', async () => {
    const registry = await FakeRegistry.start([
      { name: 'inner', version: '1.0.0', files: { 'index.js': "module.exports = 'inner';" } }
    ]);
    try {
      site.files.set('/uses-package.js', { text: "export { default } from 'npm:inner@1';" });
      const kernel = await start(undefined, { ...registry.environment(), STRIDELAB_IMPORTS_DIR: cache });
      writeFileSync(join(kernel.folder, 'own.ts'), `export { default } from '${site.url}/uses-package.js';`);
      expect(await value(kernel, "import inner from './own.ts'; inner")).toBe("'inner'");
    } finally {
      registry.close();
    }
  });

  test('by two kernels at once', async () => {
    const [first, second] = await Promise.all([start(), start()]);
    const results = await Promise.all([first, second].map(kernel => value(kernel, toolsAndShapes())));
    expect(results).toEqual(["'tools,21,21,/v1/half.mjs/'", "'tools,21,21,/v1/half.mjs/'"]);
  });

  test('after a server was busy, and without types that are lost', async () => {
    let asked = 0;
    site.files.set('/busy.js', response => {
      asked += 1;
      if (asked < 3) response.writeHead(503).end();
      else response.writeHead(200, { 'content-type': 'text/javascript' }).end('export const busy = 3;');
    });
    const kernel = await start();
    expect(
      await value(
        kernel,
        `import { busy } from '${site.url}/busy.js'; import { lost } from '${site.url}/types-lost.js'; busy + lost`
      )
    ).toBe('4');
  });
});

test('types are those that the server names, or of the TypeScript itself', async () => {
  const kernel = await start();
  const cell = `%types strict\nimport tools, { half } from '${site.url}/tools'; import { size } from '${site.url}/shapes.ts';`;
  expect((await kernel.execute(cell)).reply).toMatchObject({ status: 'ok' });
  const wrong = await fails(kernel, "half('4'); const text: string = size; tools.name = 5;");
  expect(wrong).toContain("Argument of type 'string' is not assignable to parameter of type 'Whole'");
  expect(wrong).toContain("Type 'number' is not assignable to type 'string'");
  expect(wrong).toContain('3 type errors');
  const code = 'half';
  const { data } = await kernel.request('inspect_request', { code, cursor_pos: 2, detail_level: 0 });
  expect(plain((data as Record<string, string>)['text/plain'])).toContain('half(n: Whole): number');
  const { matches } = await kernel.request('complete_request', { code: 'tools.n', cursor_pos: 7 });
  expect(matches).toContain('name');
});

describe('what cannot be imported', () => {
  test.each([
    ["import './shapes.ts'", /no such file/],
    [
      "import 'URL/needs-missing.js'",
      /Cannot fetch URL\/missing\.js: 404 Not Found \(imported by URL\/needs-missing\.js\)/
    ],
    [
      "import 'URL/page'",
      /Cannot import URL\/page: it is text\/html; charset=utf-8, not JavaScript, TypeScript or JSON/
    ],
    ["import 'URL/circle'", /Cannot fetch URL\/circle: it redirects in a circle/],
    ["import 'URL/needs-file.js'", /URL\/needs-file\.js cannot import a file of this machine/],
    ["import 'URL/needs-name.js'", /URL\/needs-name\.js cannot import "lodash"/],
    ["import 'http://example.com/a.js'", /Cannot fetch http:\/\/example\.com\/a\.js: it is not encrypted/],
    ["import 'https://['", /https:\/\/\[ is not a URL/],
    ["require('URL/tools')", /require cannot load URL\/tools/],
    ["import 'URL/broken.js'", /SyntaxError: Unexpected token[^]*URL\/broken\.js:1:18/]
  ])('%s', async (cell, message) => {
    const kernel = await start();
    const told = await fails(kernel, cell.replaceAll('URL', site.url));
    expect(told.replaceAll(site.url, 'URL')).toMatch(message);
    expect(told).not.toContain('__stridelab');
  });

  test('an unreachable server is named, and the next try works', async () => {
    const kernel = await start();
    const { url } = site;
    site.close();
    expect(await fails(kernel, `import { size } from '${url}/shapes.ts'`)).toMatch(
      /Cannot fetch \S+shapes\.ts: connect ECONNREFUSED .*Check the network[^]*import \{ size \}/
    );
    site = await FakeSite.start(FILES);
    expect(await value(kernel, `import { size } from '${site.url}/shapes.ts'; size`)).toBe('42');
  });

  test('a cache that cannot be written is named', async () => {
    const kernel = await start(undefined, { STRIDELAB_IMPORTS_DIR: '/proc/none' });
    const told = await fails(kernel, `import '${site.url}/shapes.ts'`);
    expect(told).toMatch(/The cache of imports cannot be written .*STRIDELAB_IMPORTS_DIR/);
    expect(await fails(kernel, "import 'npm:zod'")).toContain('The cache of imports cannot be written');
  });

  test('an error in a module has its place in the TypeScript', async () => {
    const kernel = await start();
    const told = await fails(kernel, `import { fails } from '${site.url}/shapes.ts'; fails()`);
    expect(told).toContain(`${site.url}/shapes.ts:5:9`);
    expect(told).toContain("throw new RangeError('no such shape')");
  });
});

test('an interrupt ends the fetching, and the next try works', async () => {
  const kernel = await start();
  site.files.set('/slow.js', () => undefined);
  const asked = site.requested('/slow.js');
  const id = kernel.startExecution(`import { slow } from '${site.url}/slow.js'`);
  await asked;
  await kernel.request('interrupt_request', {}, 'control');
  expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'Interrupted' });
  site.files.set('/slow.js', { text: 'export const slow = 1;' });
  expect(await value(kernel, `import { slow } from '${site.url}/slow.js'; slow`)).toBe('1');
});

describe('the lockfile', () => {
  test('refuses other code than the locked, and takes up new modules', async () => {
    const kernel = await start();
    const cell = `import { size } from '${site.url}/shapes.ts'; size`;
    await value(kernel, cell);
    const { stdout } = await kernel.execute('%imports lock\n%imports');
    expect(stdout).toContain(`${site.url}/data.json`);
    await value(kernel, `import { half } from '${site.url}/tools'`);
    const file = join(kernel.folder, 'stridelab.lock.json');
    const locked = (JSON.parse(readFileSync(file, 'utf8')) as { web: Record<string, unknown> }).web;
    expect(Object.keys(locked)).toEqual(
      [
        '/data.json',
        '/shapes.ts',
        '/tools',
        '/tools@1.2',
        '/v1/half.mjs',
        '/v1/types.d.ts',
        '/v1/whole.d.ts'
      ].map(path => site.url + path)
    );
    await kernel.execute('%imports clear');
    site.files.set('/data.json', { type: 'application/json', text: '{"size": 1000}' });
    const second = await start(kernel.folder);
    expect(await fails(second, cell)).toMatch(
      /data\.json is not the module in stridelab\.lock\.json: its SHA-256 is [0-9a-f]{64}/
    );
    site.files.set('/data.json', FILES['/data.json']);
    expect(await value(second, cell)).toBe('42');
  });
});

test('the files of URLs stay in the folder, whatever the URL', () => {
  expect(webPath('https://esm.sh/react@19?dev')).toBe('https/esm.sh/react@19?dev');
  expect(webPath('https://a.b/c/')).toBe('https/a.b/c/index');
  expect(webPath('https://a.b/../%2e%2e/x?y=/../../z')).toBe('https/a.b/x?y=%2F..%2F..%2Fz');
  expect(webPath(`https://a.b/${'x'.repeat(300)}`).length).toBeLessThan(220);
});

test.each([
  ['text/javascript; charset=utf-8', '/a', '.js'],
  ['application/javascript', '/a.ts', '.js'],
  ['application/javascript', '/a.mjs', '.mjs'],
  ['application/typescript', '/a', '.ts'],
  ['video/mp2t', '/a.d.ts', '.d.ts'],
  ['text/plain', '/a.tsx', '.tsx'],
  ['application/octet-stream', '/a.bin', undefined],
  [null, '/a.json', '.json'],
  ['application/ld+json', '/a', '.json'],
  ['text/html', '/a.js', undefined],
  ['text/jsx', '/a', '.jsx']
])('%s of %s is a %s', (media, path, ending) => {
  expect(endingOf(`https://x.y${path}?v=1.css`, media)).toBe(ending);
});

test('files have the extension of what they are', () => {
  expect(withEnding('a.ts', '.ts')).toBe('a.ts');
  expect(withEnding('a.ts', '.js')).toBe('a.ts.js');
  expect(withEnding('a.d.ts', '.ts')).toBe('a.d.ts.ts');
  expect(['a', 'a.js', 'b/c.mjs', 'a.ts'].map(declarationPath)).toEqual([
    'a.d.ts',
    'a.d.ts',
    'b/c.d.mts',
    'a.ts.d.ts'
  ]);
});

test('specifiers are found in code and declarations, and paths become URLs', () => {
  const code = `/* 😀 */ import a from "/a"; export * from './b'; import('/c'); import(name); import("d" + 1); const s = 'from "/no"';`;
  expect(specifiersIn(code, '.js')).toEqual(['/a', './b', '/c']);
  expect(withUrls(code, '.js', 'https://x.y/z/w.js')).toBe(
    code.replace('"/a"', '"https://x.y/a"').replace("'/c'", "'https://x.y/c'")
  );
  const types = `/// <reference path="/r.d.ts" />\nimport b = require('/e'); export type T = import("//h.i/f").F;`;
  expect(withUrls(types, '.d.ts', 'https://x.y/z')).toBe(
    `/// <reference path="https://x.y/r.d.ts" />\nimport b = require('https://x.y/e'); export type T = import("https://h.i/f").F;`
  );
});
