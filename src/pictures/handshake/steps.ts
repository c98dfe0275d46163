/** Converts facts to steps of a sequence chart, with the wording in a picture. Pure; shared by the page and the static picture. */

import type { Protocol } from '../../interchange/observer.ts';
import type { Fact } from '../../recording/exchanges/facts.ts';
import type { Lane, Mark, StepWords } from './schema.ts';

/** A translatable text with `%1`, `%2` for the values. `Backticks` enclose code. */
export type Says = readonly [text: string, ...values: string[]];

export interface Step {
  readonly mark: Mark;
  readonly from: Lane;
  /** Equal to `from` for a step on one lifeline. */
  readonly to: Lane;
  readonly label: Says;
  readonly says: Says;
  readonly rules: readonly number[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the variant of a fact within its kind. */
function formOf({ why, reason, side, stream, names, pending, copied, event }: Fields): unknown {
  const named = why ?? reason ?? side;
  if (named !== undefined) return named;
  if (stream === '-1') return '-1';
  return names === null ? 'none' : pending === true || copied === true || event === true ? 'yes' : '';
}

/** Shortens a handle to fit the chart. */
const short = (value: string): string =>
  /^0x.{9}/.test(value) ? `${value.slice(0, 4)}…${value.slice(-4)}` : value;

/** Converts a fact to a step; undefined for a fact from a newer version. */
export function stepOf(
  fact: Fact,
  protocol: Protocol,
  words: Readonly<Record<string, StepWords>>
): Step | undefined {
  const { kind } = fact;
  const form = formOf(fact);
  const found = [
    `${kind}.${String(form)}.${protocol}`,
    `${kind}.${protocol}`,
    `${kind}.${String(form)}`,
    kind
  ]
    .map(key => (Object.hasOwn(words, key) ? words[key] : undefined))
    .find(entry => entry !== undefined);
  if (found === undefined) return undefined;
  const [mark, from, to, label, sentence, all, ...fields] = found;
  // Wording shared by both protocols lists the rules of both.
  const own = all.filter(rule => rule > 106 === (protocol === 'dlpack'));
  const rules = own.length > 0 ? own : all;
  const values = fields.map(field => String((fact as Fields)[field]));
  return { mark, from, to, label: [label, ...values.map(short)], says: [sentence, ...values], rules };
}
