/** The bundles of the library and the kernel, as the build wrote them. */

import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from '../../scripts/setup/paths.mjs';
import { filesBelow } from '../../scripts/setup/stamp.mjs';

const dist = join(root, 'dist');
const bundles = ['src', 'kernel'].flatMap(room => filesBelow(join(dist, room), ['.js']));

/** The files that a file loads, itself included; with `later`, also those of its `import()`. */
function loadedWith(file: string, later = false): Set<string> {
  const all = new Set([join(dist, file)]);
  for (const each of all)
    for (const specifier of specifiersOf(each, later))
      if (specifier.startsWith('.')) all.add(join(dirname(each), specifier));
  return all;
}

function specifiersOf(file: string, later: boolean): string[] {
  const code = readFileSync(file, 'utf8');
  const { staticImports, staticExports, dynamicImports } = parseSync(file, code).module;
  const exported = staticExports.flatMap(({ entries }) =>
    entries.map(({ moduleRequest }) => moduleRequest?.value)
  );
  const dynamic = dynamicImports.map(
    ({ moduleRequest: { start, end } }) => /^"(.+)"$/.exec(code.slice(start, end))?.[1]
  );
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...exported,
    ...(later ? dynamic : [])
  ].filter(specifier => specifier !== undefined);
}

/** The source files in a bundle. */
function sourcesOf(bundle: string): string[] {
  // The file of the bundler's helpers has no source.
  if (!existsSync(`${bundle}.map`)) return [];
  const { sources } = JSON.parse(readFileSync(`${bundle}.map`, 'utf8')) as { sources: string[] };
  return sources
    .map(source => relative(root, join(dirname(bundle), source)))
    .filter(source => /^(src|kernel)\//.test(source));
}

const ofFront = new Set(['main', 'serve'].flatMap(name => [...loadedWith(`kernel/front/${name}.js`, true)]));

test('a module that cells can load is in one file only, so that its state exists once', () => {
  const files = new Map<string, string[]>();
  for (const bundle of bundles.filter(file => !ofFront.has(file)))
    for (const source of sourcesOf(bundle))
      files.set(source, [...(files.get(source) ?? []), relative(dist, bundle)]);
  expect(files.get('src/array/array.ts')).toHaveLength(1);
  expect([...files].filter(([, { length }]) => length > 1)).toEqual([]);
});

test.each([
  ['src/index.js', 10],
  ['src/notebook/index.js', 10],
  ['kernel/executor/program.js', 14],
  ['kernel/front/serve.js', 5]
])('%s loads few files: finding and linking each one takes time', (file, most) => {
  const loaded = loadedWith(file);
  expect(loaded.size).toBeGreaterThan(1);
  expect(loaded.size).toBeLessThanOrEqual(most);
});

/** The source files that are loaded with a file, which is named by its path or, if it is a part, by its name without hash. */
function sourcesWith(name: string): string[] {
  const file = bundles.find(
    bundle => relative(dist, bundle) === name || basename(bundle).replace(/-.{8}\.js$/, '') === name
  );
  return [...loadedWith(relative(dist, file!))].flatMap(sourcesOf);
}

test.each([
  'src/index.js',
  'kernel/widgets/index.js',
  'kernel/cli/check/check-program.js',
  'kernel/executor/interrupt/interrupt-worker.js',
  'kernel/executor/debugger/debugger-thread.js',
  'breakable-places'
])('%s does not open the pipe to the front: only the main thread of the cells does', name => {
  expect(sourcesWith(name).length).toBeGreaterThan(1);
  expect(sourcesWith(name)).not.toContain('kernel/executor/front/front-link.ts');
  expect(sourcesWith('kernel/executor/program.js')).toContain('kernel/executor/front/front-link.ts');
});

test.each([
  'src/notebook/index.js',
  'kernel/executor/program.js',
  'widget-targets',
  'target',
  'run-magics',
  'remote-schemes'
])('%s does not load the arrays: most kernels need it before a cell imports them', name => {
  const sources = sourcesWith(name);
  expect(sources).toContain('src/notebook/host.ts');
  expect(sources).not.toContain('src/array/array.ts');
});

test('the memory pool is a file of its own, which interrupts know', () => {
  const pool = bundles.filter(bundle => basename(bundle).startsWith('pool-')).flatMap(sourcesOf);
  expect(pool).toContain('src/memory/pool/best-fit.ts');
  expect(pool.filter(source => !source.startsWith('src/memory/pool/'))).toEqual([]);
});

test('frames tell the library from the kernel: no file has modules of both, but those of the front', () => {
  for (const bundle of bundles.filter(file => !ofFront.has(file)))
    expect(new Set(sourcesOf(bundle).map(source => source.split('/')[0])).size).toBeLessThanOrEqual(1);
});

test('every part is used, and nothing but bundles is there', () => {
  const entries = bundles.filter(file => !dirname(file).endsWith('parts'));
  const used = new Set(entries.flatMap(file => [...loadedWith(relative(dist, file), true)]));
  expect(bundles.filter(file => !used.has(file))).toEqual([]);
});
