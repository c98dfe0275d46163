/** Reads webpack's output: run the build first (`npm test` does). */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { jest } from '@jest/globals';

const EXTENSION = 'dist/labextension';
const EMBED = 'dist/index.js';
const AFM = 'dist/afm/stridelab.js';
/**
 * Bytes of all our code. A page that shows every picture loads 150,000 at most, because tabs and the panel load when they are first shown:
 * test/notebooks/reopened-in-browser.test.ts measures it.
 */
const CODE_CEILING = 260_000;

interface ExtensionPackage {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Record<string, string>;
  readonly jupyterlab: { readonly _build: Record<string, string> };
}

const readJson = (...parts: string[]): unknown => JSON.parse(readFileSync(path.join(...parts), 'utf8'));
const extension = readJson(EXTENSION, 'package.json') as ExtensionPackage;
const scripts = readdirSync(path.join(EXTENSION, 'static')).filter(name => name.endsWith('.js'));
const readScript = (name: string): string => readFileSync(path.join(EXTENSION, 'static', name), 'utf8');
const container = readFileSync(path.join(EXTENSION, extension.jupyterlab._build['load'] ?? ''), 'utf8');

test('package.json declares the files that JupyterLab loads, and they exist', () => {
  const product = readJson('package.json') as ExtensionPackage;
  expect([extension.name, extension.version]).toEqual([product.name, product.version]);
  const { load, ...exposed } = extension.jupyterlab._build;
  expect(load).toMatch(/^static\/remoteEntry\.[0-9a-f]+\.js$/);
  expect(exposed).toEqual({ extension: './extension', mimeExtension: './mimeExtension', style: './style' });
  for (const name of Object.values(exposed)) expect(container).toContain(`"${name}"`);
  expect(extension.dependencies).toHaveProperty('@jupyter-widgets/base');
});

test('the container registers itself where JupyterLab expects it', () => {
  expect(container).toContain('_JUPYTERLAB');
  expect(container).toMatch(/\.stridelab\s*=/);
});

test('install.json and the licences are in the same folder', () => {
  expect(readJson(EXTENSION, 'install.json')).toMatchObject({ packageName: 'stridelab' });
  expect(readJson(EXTENSION, 'static/third-party-licenses.json')).toHaveProperty('packages');
});

test('the widget base is shared by the page: it is not in our files', () => {
  expect(container).toContain('@jupyter-widgets/base');
  // Only the base class reads this attribute of a comm.
  for (const name of scripts) expect(readScript(name)).not.toContain('_comm_live_update');
});

test('nothing logs to the console or writes markup', () => {
  for (const code of [...scripts.map(readScript), ...[EMBED, AFM].map(file => readFileSync(file, 'utf8'))]) {
    expect(code).not.toMatch(/console\.log|innerHTML|insertAdjacentHTML/);
  }
});

/** Runs the bundle like an AMD loader. */
function loadEmbed(): { dependencies: unknown; exports: object } {
  let loaded: ReturnType<typeof loadEmbed> | undefined;
  const base = { DOMWidgetModel: class {}, DOMWidgetView: class {} };
  const define = (dependencies: unknown, create: (dependency: object) => object): void => {
    loaded = { dependencies, exports: create(base) };
  };
  // jsdom does not support nested CSS rules, and reports them.
  const complaints = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  runInNewContext(readFileSync(EMBED, 'utf8'), { define, document });
  complaints.mockRestore();
  if (!loaded) throw new Error(`${EMBED} defines no AMD module`);
  return loaded;
}

test('the embed bundle is an AMD module that requires the widget base', () => {
  const { dependencies, exports } = loadEmbed();
  expect(dependencies).toEqual(['@jupyter-widgets/base']);
  expect(Object.keys(exports)).toEqual(expect.arrayContaining(['ArrayInspectorModel', 'ArrayInspectorView']));
});

test('the embed bundle has the name and the version of the package, by which widget managers find it', () => {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    name: string;
    version: string;
  };
  expect(loadEmbed().exports).toMatchObject({ MODULE_NAME: name, MODULE_VERSION: version });
});

test('the embed bundle includes its style sheet', () => {
  document.head.replaceChildren();
  loadEmbed();
  expect(document.head.textContent).toContain('.stridelab-view');
});

const SHEETS = 'labextension/style';
const sheets = readdirSync(SHEETS).filter(name => name.endsWith('.css'));
/** Only JupyterLab has the sidebar. */
const sheetsElsewhere = sheets.filter(name => name !== 'arrays.css');
/** Removes comments and insignificant white space. */
const dense = (css: string): string => css.replace(/\/\*[^]*?\*\//g, '').replace(/\s+/g, '');
const sourceOf = (names: readonly string[]): string =>
  names.map(name => dense(readFileSync(path.join(SHEETS, name), 'utf8'))).join('');

test.each([
  ['the extension', sheets, () => scripts.map(readScript).join('')],
  ['the embed bundle', sheetsElsewhere, () => readFileSync(EMBED, 'utf8')],
  ['the module for other hosts', sheetsElsewhere, () => readFileSync(AFM, 'utf8')]
])('%s contains the minified style sheets, with every token and every media query', (_name, names, read) => {
  const code = read();
  const source = sourceOf(names);
  // One of the bundler's own comments remains.
  expect(/\/\*(?!#__PURE__)[^*]*\*\/|\n {2}--sd|: var\(--/.exec(code)?.[0]).toBeUndefined();
  const all = (text: string, pattern: RegExp): string[] =>
    [...new Set([...text.matchAll(pattern)].map(match => match[0]))].sort();
  const tokens = /--sd-[\w-]+:/g;
  expect(all(source, tokens).length).toBeGreaterThan(10);
  expect(all(dense(code), tokens)).toEqual(all(source, tokens));
  const queries = /@media\([^{]*(?=\{)/g;
  expect(all(source, queries)).toContain('@media(forced-colors:active)');
  expect(all(dense(code), queries)).toEqual(all(source, queries));
});

test('all bundles stay below the limit, and do not overwrite other compiled folders', () => {
  const bytes = scripts.map(name => statSync(path.join(EXTENSION, 'static', name)).size);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(CODE_CEILING);
  for (const file of [EMBED, AFM]) expect(statSync(file).size).toBeLessThan(CODE_CEILING);
  expect(existsSync('build/compiled/page/src/models/index.js')).toBe(true);
});
