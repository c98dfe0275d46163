/** The streams that used the array's memory, and whether they are done with it. */

import type { StreamState, StreamUseDescription } from '../../../../src/pictures/array/schema.ts';
import { createBadge } from '../kit/badge.ts';
import { createKeyedList, createTable, element, part, setText, type KeyedChild } from '../kit/dom.ts';
import type { ChangeMarks } from '../kit/change-marks.ts';
import type { Panel } from './panel/panel.ts';
import { __ } from '../kit/phrases.ts';

export function createStreamsPanel(marks: ChangeMarks): Panel {
  const body = element('tbody');
  const columns = [
    __('Stream'),
    __('Handle'),
    __('State'),
    __('Last use'),
    __('Operation'),
    __('Completed'),
    __('In the descriptor')
  ];
  const caption = __('Streams that used this memory, oldest first');
  const table = createTable('streams', caption, columns, body);
  const empty = part('p', 'empty');
  const advice = part('p', 'advice');
  const updateRows = createKeyedList(body, streamKey, () => createStreamRow(marks));
  return {
    element: element('div', {}, table, empty, advice),
    update({ streams, lifetime }) {
      updateRows(streams);
      setText(
        empty,
        lifetime === 'freed'
          ? __('The memory was freed: no stream uses it.')
          : __('No stream has used this memory, so no wait is needed.')
      );
      table.hidden = streams.length === 0;
      empty.hidden = streams.length > 0;
      advice.hidden = streams.length === 0;
      setText(advice, adviceFor(streams));
    }
  };
}

/** A stream can both read and write; those are two uses with their own operation numbers. */
export function streamKey(use: StreamUseDescription): string {
  return `${use.id} ${use.access}`;
}

export function stateWord(state: StreamState): string {
  if (state === 'busy') return __('busy');
  if (state === 'lost') return __('lost');
  return state === 'idle' ? __('idle') : __('destroyed');
}

function createStreamRow(marks: ChangeMarks): KeyedChild<StreamUseDescription> {
  const label = element('th', { scope: 'row', class: 'key' });
  const handle = part('td', 'value');
  const badge = createBadge();
  const state = element('td', {}, badge.element);
  const access = element('td');
  const sequence = part('td', 'number');
  const completed = part('td', 'number');
  const exportBadge = createBadge();
  const exported = element('td', {}, exportBadge.element);
  const row = element('tr', {}, label, handle, state, access, sequence, completed, exported);
  let shown: StreamUseDescription | undefined;

  return {
    element: row,
    update(use) {
      const previous = shown;
      shown = use;
      setText(label, use.label);
      setText(handle, use.handle);
      badge.show(use.state, stateWord(use.state));
      setText(access, use.access === 'write' ? __('write') : __('read'));
      setText(sequence, String(use.sequence));
      setText(completed, String(use.completed));
      exportBadge.show(
        use.exported && 'exported',
        __('exported'),
        __('The stream that consumers must synchronize with')
      );

      if (!previous) marks.mark(row, __('%1 is new', use.label));
      else {
        if (previous.handle !== use.handle) marks.mark(handle, __('%1 handle', use.label));
        if (previous.state !== use.state) marks.mark(state, __('%1 is %2', use.label, stateWord(use.state)));
        if (previous.sequence !== use.sequence)
          marks.mark(sequence, __('%1 operation %2', use.label, use.sequence));
        // Only the array's own operation is news; the stream goes on with the work of others.
        if (previous.completed < previous.sequence && previous.completed !== use.completed)
          marks.mark(completed, __('%1 completed %2', use.label, use.completed));
        if (previous.exported !== use.exported)
          marks.mark(
            exported,
            use.exported ? __('%1 is exported', use.label) : __('%1 is no longer exported', use.label)
          );
      }
    }
  };
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
