/** DLPack: the tensor that would be handed over, what a stream argument does, and the capsules that are out. */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { element, part, setText } from '../kit/dom.ts';
import type { Panel, PanelContext } from './panel/panel.ts';
import { createRowTable } from './row-table.ts';

export function createDlpackPanel(context: PanelContext): Panel {
  const { phrases } = context;
  const tensor = createRowTable(
    phrases.__('The tensor that __dlpack__() would export, without a copy'),
    phrases.__('Field'),
    context
  );
  const streams = createRowTable(
    phrases.__('What __dlpack__(stream=…) does with the stream of a consumer'),
    phrases.__('Stream'),
    context
  );
  const capsules = createRowTable(
    phrases.__('DLPack exports of this memory, oldest first'),
    phrases.__('Capsule'),
    context
  );
  const sentence = part('p', 'empty');
  return {
    element: element('div', {}, capsules.element, sentence, tensor.element, streams.element),
    update(array) {
      capsules.update(array.capsules ?? []);
      tensor.update(array.tensor);
      streams.update(array.streamArguments);
      const out = countOut(array);
      setText(
        sentence,
        array.capsules === null
          ? array.lifetime === 'freed'
            ? phrases.__('The memory was freed: there is no tensor to export.')
            : phrases.__('A live inspector, opened with inspect(), lists the exports.')
          : array.lifetime === 'freed' && out > 0
            ? phrases.__(
                'The array was freed, but %1 exports are outstanding: the memory stays until their deleters run.',
                out
              )
            : array.capsules.length === 0
              ? phrases.__('No DLPack exports are outstanding or were made since the inspector opened.')
              : ''
      );
      sentence.hidden = sentence.textContent === '';
    }
  };
}

/** Tensors whose deleter has not run. */
export function countOut({ capsules }: ArrayDescription): number {
  // A row of its own tells how many there are of which no more is known.
  const counts = capsules?.map(({ value }) =>
    value.startsWith('deleted') ? 0 : Number(/^(\d+) out/.exec(value)?.[1] ?? 1)
  );
  return counts?.reduce((sum, count) => sum + count, 0) ?? 0;
}
