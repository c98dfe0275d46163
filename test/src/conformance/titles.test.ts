/** Input of the conformance table: titles and citations that name rules. */

import { rulesCited, rulesOfTitle } from '../../../scripts/conformance/numbers.mjs';
import { readRules, rowsOf, type Report } from '../../../scripts/conformance/rows.mjs';
import { table } from '../../../scripts/conformance/table.mjs';

const report = (...tests: [title: string, status: string][]): Report => ({
  testResults: [
    {
      name: '/repository/test/a.test.ts',
      status: 'passed',
      message: '',
      assertionResults: tests.map(([title, status]) => ({
        ancestorTitles: [],
        title,
        fullName: title,
        status
      }))
    }
  ]
});

test.each([
  ['rule 19: one', [19]],
  ['rules 17, 19, 21: several', [17, 19, 21]],
  ['rules 33 to 36, 43: a range', [33, 34, 35, 36, 43]],
  ['rules 33 and 43: two', [33, 43]],
  ['rules 202, S1: a note of a seed is no rule', [202]],
  ['a rule 19: not at the start', []],
  ['rule x: no number', []],
  ['rules 36 to 33: backwards', []]
])('%s', (title, expected) => expect(rulesOfTitle(title)).toEqual(expected));

test('a document cites rules anywhere', () => {
  expect([...rulesCited('See (rules 86, 136) and rule 162.')]).toEqual([86, 136, 162]);
});

test('the checklist has each rule once, in order', () => {
  expect(readRules().map(({ number }) => number)).toEqual(Array.from({ length: 234 }, (_, i) => i + 1));
});

test('one failing test fails its rule; skipped tests and no tests leave it missing', () => {
  const rules = readRules().filter(({ number }) => [1, 2, 3, 4].includes(number));
  const rows = rowsOf(
    rules,
    report(['rules 1, 2: a', 'passed'], ['rule 2: b', 'failed'], ['rule 3: c', 'pending'])
  );
  expect(rows.map(({ verdict }) => verdict)).toEqual(['pass', 'fail', 'missing', 'missing']);
  expect(rows[1]?.reason).toBe('rule 2: b');
  expect(table(rows).split('\n')).toHaveLength(6);
});
