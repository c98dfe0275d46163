/** Named values under a title. */

import { createKeyedList, element, part, setText, type Part } from '../kit/dom.ts';

export type Fact = readonly [name: string, value: string];

export function createFacts(): Part<[title: string, note: string, facts: readonly Fact[]]> {
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
