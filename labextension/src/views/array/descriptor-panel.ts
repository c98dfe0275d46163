/** The descriptor as a table: every key of the CUDA Array Interface, then what follows from several of them. */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { element, part, setText } from '../kit/dom.ts';
import type { Panel, PanelContext } from './panel/panel.ts';
import { createRowTable } from './row-table.ts';

/** `comparison` stands below the table. */
export function createDescriptorPanel(context: PanelContext, comparison: HTMLElement): Panel {
  const { phrases } = context;
  const table = createRowTable(
    phrases.__('The CUDA Array Interface descriptor of this array'),
    phrases.__('Key'),
    context
  );
  table.element.classList.add('stridelab-descriptor');
  const empty = part('p', 'empty');
  return {
    element: element('div', {}, table.element, empty, comparison),
    update({ descriptor, collected }) {
      table.update(descriptor);
      setText(
        empty,
        collected === true
          ? phrases.__(
              'No variable held the array, so its memory was freed. Assign it first: const x = …; inspect(x).'
            )
          : phrases.__('The memory was freed: there is no descriptor to export.')
      );
      empty.hidden = descriptor.length > 0;
    }
  };
}

/** How many rows break a rule: the number beside the tab's label. */
export function countViolations(array: ArrayDescription): number {
  return array.descriptor.filter(row => row.verdict === 'violation').length;
}
