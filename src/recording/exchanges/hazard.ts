/** Checks whether anything orders the consumer's work after the producer's. Pure. */

import type { Fact, NoWait } from './facts.ts';

const SKIPPED: readonly NoWait[] = ['sync-false', 'variable', 'minus-one'];

/** Returns true if the producer's work was pending, and no recorded wait came before the consumer's first use. External waits may order them. */
export function isHazard(facts: readonly Fact[]): boolean {
  const work = facts.find(fact => fact.kind === 'work');
  const use = facts.findIndex(fact => fact.kind === 'use' && fact.side === 'consumer');
  const before = use < 0 ? facts : facts.slice(0, use);
  const view = facts.find(fact => fact.kind === 'view');
  return (
    work?.pending === true &&
    work.stream !== view?.stream &&
    before.some(fact => fact.kind === 'no-wait' && SKIPPED.includes(fact.reason)) &&
    !before.some(
      ({ kind, ...fact }) =>
        kind === 'host-wait' || (kind === 'wait' && 'side' in fact && fact.side === 'consumer')
    )
  );
}
