/** Describes the values that were read with the wait and without it. */

import type { RunOutcome } from '../../../../../src/pictures/handshake/schema.ts';

/** Result of one exchange of a run. */
export interface Read {
  /** The first few values; element `i` was written as `i + 1`. */
  readonly values: readonly number[];
  /** Number of elements that differ from the written value. */
  readonly wrong: number;
  readonly hazards: readonly string[];
}

/** Output of the process of a run. */
export interface Measured {
  readonly device: string;
  readonly elements: number;
  readonly ordered: Read;
  readonly skipped: Read;
  /** The call that skipped the wait. */
  readonly skippedBy: string;
}

export function outcomeOf({ device, elements, ordered, skipped, skippedBy }: Measured): RunOutcome {
  const cell = (value: number | undefined, written: number): string =>
    value === written ? String(value) : `✕ ${String(value)}`;
  const rows = ordered.values.map((value, index) => [
    String(index),
    String(index + 1),
    cell(value, index + 1),
    cell(skipped.values[index], index + 1)
  ]);
  return {
    wrong: skipped.wrong > 0 || skipped.hazards.length > 0,
    verdict: verdictOn(skipped, elements),
    caption: `Read on ${device}; without the wait: ${skippedBy}`,
    head: ['element', 'written', 'read with the wait', 'read without it'],
    rows: [...rows, [`wrong of ${elements}`, '', cell(ordered.wrong, 0), cell(skipped.wrong, 0)]],
    report: skipped.hazards.join('\n')
  };
}

function verdictOn({ wrong, hazards }: Read, elements: number): string {
  if (wrong > 0) return `✕ Without the wait ${wrong} of ${elements} elements are wrong.`;
  return hazards.length > 0
    ? '✕ All elements are right by luck: nothing ordered the read after the write.'
    : '✓ All elements are right: these streams are in order without the wait.';
}
