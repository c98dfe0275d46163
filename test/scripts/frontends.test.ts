/** The table of docs/frontends.md: its versions are those that the tests install, and each row has tests or a reason. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/repository.ts';

const rows = readFileSync(join(root, 'docs', 'frontends.md'), 'utf8')
  .split('\n')
  .filter(line => line.startsWith('| '))
  .map(line => line.slice(2, -2).split(' | '));
const [head = [], , ...frontends] = rows;

const pinned = (file: string): (readonly [string, string])[] =>
  [...readFileSync(join(root, 'python', file), 'utf8').matchAll(/^([\w-]+)==(.+)$/gm)].map(
    ([, name, version]) => [name!, version!]
  );
const own = readdirSync(join(root, 'python', 'frontends'))
  .filter(name => name.endsWith('.in'))
  .flatMap(name => pinned(join('frontends', name)));
const shown = new Set([
  ...['jupyterlab', 'nbconvert', 'jupyter_console', 'notebook', 'papermill'],
  ...['nbclassic', 'marimo', 'anywidget', 'jupyterlite-core']
]);

test('names the versions that the tests install', () => {
  const names = frontends.map(([name]) => name).join('\n');
  const versions = [...pinned('requirements.in'), ...pinned('test-tools.in'), ...own].filter(([name]) =>
    shown.has(name)
  );
  expect(versions.length).toBeGreaterThan(10);
  for (const [name, version] of versions)
    expect({ name, names }).toMatchObject({ names: expect.stringContaining(version) as string });
});

test.each(frontends.map(row => [row[0]!, row]))('%s has tests, or a reason', (_, row) => {
  expect(row).toHaveLength(head.length);
  const last = row.at(-1)!;
  const tests = [...last.matchAll(/`([\w/-]+\.test\.ts)`/g)].map(([, file]) => file!);
  for (const file of tests) expect(existsSync(join(root, 'test', file)) ? '' : file).toBe('');
  if (tests.length === 0) expect(last).toMatch(/^(not tested|tested by hand)[^:]*: \w+/);
});
