/** Filter that highlights records: a text that they must contain, and the kinds chosen in the legend. */

import { element } from '../kit/dom.ts';
import { ALLOCATION, FREE } from './kinds.ts';
import { createLegend } from './legend.ts';
import type { Records } from './records.ts';
import { __ } from '../kit/phrases.ts';

export function createFilter(records: Records, words: readonly string[], changed: () => void) {
  let matches = new Uint8Array();
  /** Revision of the records when the filter was last applied. */
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
    /** Indexed like facts: 1 if they pass. */
    get matches(): Uint8Array {
      return matches;
    },
    /** Applies the filter to changed records and updates the legend's counts. */
    update(): void {
      if (matches.length !== records.facts.length || revision !== records.revision) apply();
      const counts = words.map(() => 0);
      for (const kind of records.kinds) counts[kind === FREE ? ALLOCATION : kind]! += 1;
      legend.update(counts);
    },
    restyled: legend.draw
  };
}
