/** DLPack: the tensor that an export would contain, the effect of a stream argument, and outstanding capsules. */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { element, part, setLine } from '../kit/dom.ts';
import type { ChangeMarks } from '../kit/change-marks.ts';
import type { Panel } from './panel/panel.ts';
import { createRowTable } from './row-table.ts';
import { __ } from '../kit/phrases.ts';

export function createDlpackPanel(marks: ChangeMarks): Panel {
  const tensor = createRowTable(
    __('The tensor that __dlpack__() would export, without a copy'),
    __('Field'),
    marks
  );
  const streams = createRowTable(__('Effect of __dlpack__(stream=…)'), __('Stream'), marks);
  const capsules = createRowTable(__('DLPack exports of this memory, oldest first'), __('Capsule'), marks);
  const sentence = part('p', 'empty');
  return {
    element: element('div', {}, capsules, sentence, tensor, streams),
    update(array) {
      capsules.update(array.capsules ?? []);
      tensor.update(array.tensor);
      streams.update(array.streamArguments);
      setLine(sentence, sentenceOf(array));
    }
  };
}

function sentenceOf({ capsules, lifetime }: ArrayDescription): string {
  if (capsules === null)
    return lifetime === 'freed'
      ? __('The memory was freed: there is no tensor to export.')
      : __('A live inspector, opened with inspect(), lists the exports.');
  const out = countOut({ capsules });
  if (lifetime === 'freed' && out > 0)
    return __(
      'The array was freed, but %1 exports are outstanding: the memory stays until their deleters run.',
      out
    );
  return capsules.length > 0
    ? ''
    : __('No DLPack exports are outstanding, and none were made since the inspector opened.');
}

/** Counts tensors whose deleter has not run. */
export function countOut({ capsules }: Pick<ArrayDescription, 'capsules'>): number {
  // A separate row counts those without further details.
  const counts = capsules?.map(({ value }) =>
    value.startsWith('deleted') ? 0 : Number(/^(\d+) out/.exec(value)?.[1] ?? 1)
  );
  return counts?.reduce((sum, count) => sum + count, 0) ?? 0;
}
