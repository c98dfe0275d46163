/** The streams that used the array's memory, and whether they have finished. */

import type { StreamState, StreamUseDescription as Use } from '../../../../src/pictures/array/schema.ts';
import { element, part, setLine } from '../kit/dom.ts';
import { createItemTable, type Show } from '../kit/item-table.ts';
import type { ChangeMarks } from '../kit/change-marks.ts';
import type { Panel } from './panel/panel.ts';
import { __ } from '../kit/phrases.ts';

export function createStreamsPanel(marks: ChangeMarks): Panel {
  /** Shows a cell, and marks it when a field of the stream's use has changed. */
  const news =
    (
      field: keyof Use,
      sentence: (use: Use) => string,
      show: (use: Use) => ReturnType<Show<Use>>,
      isNews: (before: Use) => boolean = () => true
    ): Show<Use> =>
    (use, cell, before) => {
      if (before && before[field] !== use[field] && isNews(before)) marks.mark(cell, sentence(use));
      return show(use);
    };
  const nameOf: Show<Use> = ({ label }, cell, before) => {
    if (!before) marks.mark(cell.parentElement!, __('%1 is new', label));
    return label;
  };
  const state = news(
    'state',
    use => __('%1 is %2', use.label, stateWord(use.state)),
    use => [use.state, stateWord(use.state)]
  );
  const operation = news(
    'sequence',
    use => __('%1 operation %2', use.label, use.sequence),
    use => String(use.sequence)
  );
  // Only the completion of the array's own operation is news; the stream continues with other work.
  const completed = news(
    'completed',
    use => __('%1 completed %2', use.label, use.completed),
    use => String(use.completed),
    before => before.completed < before.sequence
  );
  const exported = news(
    'exported',
    use => (use.exported ? __('%1 is exported', use.label) : __('%1 is no longer exported', use.label)),
    use => [use.exported && 'exported', __('exported'), __('The stream that consumers must synchronize with')]
  );
  const caption = __('Streams that used this memory, oldest first');
  const table = createItemTable<Use>('streams', caption, streamKey, [
    [__('Stream'), nameOf, 'key'],
    [
      __('Handle'),
      news(
        'handle',
        use => __('%1 handle', use.label),
        use => use.handle
      ),
      'value'
    ],
    [__('State'), state],
    [__('Last use'), ({ access }) => (access === 'write' ? __('write') : __('read'))],
    [__('Operation'), operation, 'number'],
    [__('Completed'), completed, 'number'],
    [__('In the descriptor'), exported]
  ]);
  const empty = part('p', 'empty');
  const advice = part('p', 'advice');
  return {
    element: element('div', {}, table, empty, advice),
    update({ streams, lifetime }) {
      table.update(streams);
      const none =
        lifetime === 'freed'
          ? __('The memory was freed: no stream uses it.')
          : __('No stream has used this memory, so no wait is needed.');
      table.element.hidden = streams.length === 0;
      setLine(empty, streams.length === 0 ? none : '');
      setLine(advice, streams.length === 0 ? '' : adviceFor(streams));
    }
  };
}

/** Returns the key of a use. A stream can both read and write: two uses with separate operation numbers. */
export function streamKey(use: Use): string {
  return `${use.id} ${use.access}`;
}

export function stateWord(state: StreamState): string {
  if (state === 'busy') return __('busy');
  if (state === 'lost') return __('lost');
  return state === 'idle' ? __('idle') : __('destroyed');
}

function adviceFor(streams: readonly Use[]): string {
  if (streams.some(use => use.state === 'lost')) return __('The device is lost: pending work will not run.');
  const pending = streams.filter(use => use.state === 'busy').map(use => use.label);
  if (pending.length === 0) return __('All of this work is done: the memory can be used without a wait.');
  return __(
    'Work is pending on %1. Other streams must wait for it before they use the memory.',
    [...new Set(pending)].join(', ')
  );
}
