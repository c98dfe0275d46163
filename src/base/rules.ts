/** Texts of the rules that messages cite by number. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ArgumentError } from './errors.ts';
import { textOf } from './value-text.ts';

const CITATION = /\brules? ((?:\d+(?: to \d+)?(?:, | and )?)+)/gi;
/** The longest range that is expanded; a longer one names a chapter. */
const LONGEST_RANGE = 4;

let texts: ReadonlyMap<number, string> | undefined;

function ruleTexts(): ReadonlyMap<number, string> {
  if (texts === undefined) {
    const path = createRequire(import.meta.url).resolve('#rules');
    const rules = JSON.parse(readFileSync(path, 'utf8')) as readonly { number: number; rule: string }[];
    texts = new Map(rules.map(({ number, rule }) => [number, rule]));
  }
  return texts;
}

/** Returns `rule 67: stream 0 is refused` for each rule that a message cites. */
export function rulesIn(message: string): string[] {
  const numbers = new Set([...message.matchAll(CITATION)].flatMap(([, list = '']) => expand(list)));
  return [...numbers].flatMap(number => {
    const text = ruleTexts().get(number);
    return text === undefined ? [] : [`rule ${number}: ${text}`];
  });
}

function expand(list: string): number[] {
  return list.split(/, | and /).flatMap(part => {
    const [, first, last = first] = /^(\d+)(?: to (\d+))?$/.exec(part) ?? [];
    const length = first === undefined ? 0 : Number(last) - Number(first) + 1;
    if (length > LONGEST_RANGE) return [];
    return Array.from({ length }, (_, i) => Number(first) + i);
  });
}

/**
 * Returns the text of a rule, or of all rules that an error or another text cites, one a line; empty if it cites none. The rules are a
 * checklist of the CUDA Array Interface, DLPack and NBEP 7; `docs/conformance.md` lists them.
 * @throws ArgumentError for a number without a rule
 * @example explain(67); try { ... } catch (error) { console.log(explain(error)); }
 */
export function explain(what: unknown): string {
  if (typeof what === 'number') {
    const text = ruleTexts().get(what);
    if (text !== undefined) return `rule ${what}: ${text}`;
    throw new ArgumentError(`explain: rule ${what} does not exist, expected 1 to ${ruleTexts().size}`);
  }
  if (what instanceof Error) return rulesIn(what.message).join('\n');
  if (typeof what === 'string') return rulesIn(what).join('\n');
  throw new ArgumentError(`explain: expected the number of a rule, an error or a text, not ${textOf(what)}`);
}
