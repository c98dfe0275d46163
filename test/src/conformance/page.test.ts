/** docs/conformance.md lists all rules, with existing tests that name them. `npm run conformance` generates it from a run. */

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { rulesCited } from '../../../scripts/conformance/numbers.mjs';
import { readRules } from '../../../scripts/conformance/rows.mjs';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const rows = new Map(
  [...read('docs/conformance.md').matchAll(/^\| (\d+) \| (.*) \((\w)\) \| (.*) \| (.*) \| (.*) \|$/gm)].map(
    ([, number, rule, tag, shownBy, verdict]) => [Number(number), { rule, tag, shownBy: shownBy!, verdict }]
  )
);
/** By name alone, as on the page: several tests may share one. */
const files = new Map<string, Set<number>>();
for (const folder of ['test/native', 'test/src'])
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const known = files.get(basename(name)) ?? new Set();
    files.set(basename(name), known.union(rulesCited(read(join(folder, name)))));
  }

test('each rule is listed, and passes', () => {
  for (const { number, rule, tag } of readRules())
    expect(rows.get(number)).toMatchObject({ rule: rule.replaceAll('|', '\\|'), tag });
  expect(rows.size).toBe(readRules().length);
  expect([...rows.values()].filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
});

test('the listed tests exist, and name the rule', () => {
  const wrong = [...rows].flatMap(([number, { shownBy }]) =>
    [...shownBy.matchAll(/[\w-]+\.test\.ts/g)]
      .filter(([name]) => files.get(name)?.has(number) !== true)
      .map(([name]) => `${number}: ${name}`)
  );
  expect(wrong).toEqual([]);
});

test('CONTRIBUTING.md has the number of rules', () => {
  expect(read('CONTRIBUTING.md')).toContain(`each of the ${readRules().length} rules`);
});
