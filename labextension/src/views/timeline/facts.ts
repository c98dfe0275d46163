/** Named values under a title. */

import { createKeyedList, element, part, setText, type Part } from '../kit/dom.ts';

export type Fact = readonly [name: string, value: string];

/** A list of facts; hidden if it is empty. */
export type Facts = Part<[title: string, note: string, facts: readonly Fact[]]>;

/** Creates a title with named values under it, in as many columns as fit. */
export function createFacts(): Facts {
  const title = element('strong');
  const note = part('span', 'muted');
  const list = element('dl');
  const panel = element(
    'div',
    { class: 'trace-facts', tabindex: '-1', role: 'status' },
    title,
    ' ',
    note,
    list
  );
  const update = createKeyedList<Fact>(
    list,
    ([name]) => name,
    ([name]) => {
      const value = element('dd');
      return {
        element: element('div', {}, element('dt', {}, name), value),
        update: ([, text]) => void setText(value, text)
      };
    }
  );
  return {
    element: panel,
    update(heading, remark, facts) {
      panel.hidden = facts.length === 0;
      setText(title, heading);
      setText(note, remark);
      update(facts);
    }
  };
}
