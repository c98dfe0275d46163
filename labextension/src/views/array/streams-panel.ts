/** The streams that used the array's memory, and whether they have finished. */

import type { StreamState, StreamUseDescription } from '../../../../src/pictures/array/schema.ts';
import { element, part, setText } from '../kit/dom.ts';
import { createItemTable } from '../kit/item-table.ts';
import type { ChangeMarks } from '../kit/change-marks.ts';
import type { Panel } from './panel/panel.ts';
import { __ } from '../kit/phrases.ts';

export function createStreamsPanel(marks: ChangeMarks): Panel {
  const news = (cell: HTMLElement, isNews: boolean | undefined, sentence: () => string): void => {
    if (isNews === true) marks.mark(cell, sentence());
  };
  const caption = __('Streams that used this memory, oldest first');
  const table = createItemTable<StreamUseDescription>('streams', caption, streamKey, [
    [
      __('Stream'),
      ({ label }, cell, before) => {
        if (!before) marks.mark(cell.parentElement!, __('%1 is new', label));
        return label;
      },
      'key'
    ],
    [
      __('Handle'),
      ({ handle, label }, cell, before) => {
        news(cell, before && before.handle !== handle, () => __('%1 handle', label));
        return handle;
      },
      'value'
    ],
    [
      __('State'),
      ({ state, label }, cell, before) => {
        news(cell, before && before.state !== state, () => __('%1 is %2', label, stateWord(state)));
        return [state, stateWord(state)];
      }
    ],
    [__('Last use'), ({ access }) => (access === 'write' ? __('write') : __('read'))],
    [
      __('Operation'),
      ({ sequence, label }, cell, before) => {
        news(cell, before && before.sequence !== sequence, () => __('%1 operation %2', label, sequence));
        return String(sequence);
      },
      'number'
    ],
    [
      __('Completed'),
      ({ completed, label }, cell, before) => {
        // Only the completion of the array's own operation is news; the stream continues with other work.
        const isOwn = before && before.completed < before.sequence && before.completed !== completed;
        news(cell, isOwn, () => __('%1 completed %2', label, completed));
        return String(completed);
      },
      'number'
    ],
    [
      __('In the descriptor'),
      ({ exported, label }, cell, before) => {
        news(cell, before && before.exported !== exported, () =>
          exported ? __('%1 is exported', label) : __('%1 is no longer exported', label)
        );
        return [
          exported && 'exported',
          __('exported'),
          __('The stream that consumers must synchronize with')
        ];
      }
    ]
  ]);
  const empty = part('p', 'empty');
  const advice = part('p', 'advice');
  return {
    element: element('div', {}, table, empty, advice),
    update({ streams, lifetime }) {
      table.update(streams);
      setText(
        empty,
        lifetime === 'freed'
          ? __('The memory was freed: no stream uses it.')
          : __('No stream has used this memory, so no wait is needed.')
      );
      table.element.hidden = streams.length === 0;
      empty.hidden = streams.length > 0;
      advice.hidden = streams.length === 0;
      setText(advice, adviceFor(streams));
    }
  };
}

/** Returns the key of a use. A stream can both read and write: two uses with separate operation numbers. */
export function streamKey(use: StreamUseDescription): string {
  return `${use.id} ${use.access}`;
}

export function stateWord(state: StreamState): string {
  if (state === 'busy') return __('busy');
  if (state === 'lost') return __('lost');
  return state === 'idle' ? __('idle') : __('destroyed');
}

function adviceFor(streams: readonly StreamUseDescription[]): string {
  if (streams.some(use => use.state === 'lost')) return __('The device is lost: pending work will not run.');
  const pending = streams.filter(use => use.state === 'busy').map(use => use.label);
  if (pending.length === 0) return __('All of this work is done: the memory can be used without a wait.');
  return __(
    'Work is pending on %1. Other streams must wait for it before they use the memory.',
    [...new Set(pending)].join(', ')
  );
}
