/** Which records are shown bright: a text that they have to have, and the kinds of the legend. */

import { element } from '../kit/dom.ts';
import { ALLOCATION, FREE } from './kinds.ts';
import { createLegend } from './legend.ts';
import type { Records } from './records.ts';
import { __ } from '../kit/phrases.ts';

export function createFilter(records: Records, words: readonly string[], changed: () => void) {
  let matches = new Uint8Array();
  /** The revision of the records that they are of. */
  let revision = 0;
  const name = __('Filter by name, label, cell');
  const search = element('input', {
    class: 'button',
    type: 'search',
    placeholder: name,
    size: '24',
    'aria-label': name
  });
  const apply = (): void => {
    const wanted = search.value.trim().toLowerCase();
    ({ revision } = records);
    matches = Uint8Array.from(records.facts, ({ kind, name: title, cell, array, labels }) => {
      const text = [title, words[kind], cell, array, ...labels].join('\n').toLowerCase();
      return Number(legend.isOn(kind === FREE ? ALLOCATION : kind) && text.includes(wanted));
    });
  };
  const filtered = (): void => {
    apply();
    changed();
  };
  const legend = createLegend(__('Kinds: press one to dim it'), words, filtered);
  search.addEventListener('input', filtered);
  return {
    elements: [legend.element, search] as readonly HTMLElement[],
    /** By the index of facts: 1 where they pass. */
    get matches(): Uint8Array {
      return matches;
    },
    /** The records are others: tells the legend how many there are of each kind. */
    update(): void {
      if (matches.length !== records.facts.length || revision !== records.revision) apply();
      const counts = words.map(() => 0);
      for (const kind of records.kinds) counts[kind === FREE ? ALLOCATION : kind]! += 1;
      legend.update(counts);
    },
    restyled: legend.draw
  };
}
