import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { explain, Stream } from '../../../src/index.ts';
import { rulesIn } from '../../../src/base/rules.ts';
import { root } from '../../setup/repository.ts';

test.each([
  ['stream handle 0 is ambiguous (rule 67)', [67]],
  ['(rules 131, 144 and 158)', [131, 144, 158]],
  ['rules 61 to 63, 98', [61, 62, 63, 98]],
  ['Rule 59 and rule 59', [59]],
  ['rules 66 to 106 are a chapter', []],
  ['rule 0, rule 9999', []],
  ['overrule 5, rules of thumb', []],
  ['', []]
])('%j cites %j', (message, numbers) => {
  expect(rulesIn(message).map(rule => Number(/\d+/.exec(rule)?.[0]))).toEqual(numbers);
});

test('explain returns the sentence of a number, of an error, of a text', () => {
  expect(explain(67)).toBe('rule 67: stream 0 is refused');
  let caught: unknown;
  try {
    Stream.fromHandle(0n, 'sim:0');
  } catch (error) {
    caught = error;
  }
  expect(explain(caught)).toBe(explain(67));
  expect(explain('rules 67, 1')).toBe(`${explain(67)}\n${explain(1)}`);
  expect(explain(new Error('no rules'))).toBe('');
  for (const wrong of [0, 235, 1.5, NaN, undefined, {}]) expect(() => explain(wrong)).toThrow(/^explain: /);
});

test('the table of all rules has the same sentences', () => {
  const page = readFileSync(join(root, 'docs', 'conformance.md'), 'utf8');
  for (const number of [1, 61, 144, 234])
    expect(page).toContain(`| ${number} | ${explain(number).replace(/^rule \d+: /, '')}`);
});
