/** The descriptor as a table: every key of the CUDA Array Interface, then facts derived from several of them. */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { element, part, setLine } from '../kit/dom.ts';
import type { ChangeMarks } from '../kit/change-marks.ts';
import type { Panel } from './panel/panel.ts';
import { createRowTable } from './row-table.ts';
import { __ } from '../kit/phrases.ts';

/** Creates the panel. `comparison` is placed below the table. */
export function createDescriptorPanel(marks: ChangeMarks, comparison: HTMLElement): Panel {
  const table = createRowTable(__('The CUDA Array Interface descriptor of this array'), __('Key'), marks);
  table.element.classList.add('stridelab-descriptor');
  const empty = part('p', 'empty');
  return {
    element: element('div', {}, table, empty, comparison),
    update({ descriptor, collected }) {
      table.update(descriptor);
      const reason = collected
        ? __('No variable held the array, so its memory was freed. Assign it first: const x = …; inspect(x).')
        : __('The memory was freed: there is no descriptor to export.');
      setLine(empty, descriptor.length > 0 ? '' : reason);
    }
  };
}

/** Counts the rows that break a rule: the number in the tab's label. */
export function countViolations(array: ArrayDescription): number {
  return array.descriptor.filter(row => row.verdict === 'violation').length;
}
