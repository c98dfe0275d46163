/** The folded part of a stream: its handle, what it waits for, and its latest operations. */

import type { StreamOperation, StreamPicture } from '../../../../src/pictures/stream/schema.ts';
import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatDuration } from '../../../../src/base/time-text.ts';
import { element, part, setText, type Part } from '../kit/dom.ts';
import { createItemTable } from '../kit/item-table.ts';
import { __ } from '../kit/phrases.ts';

/** Creates the part. `problem` is why the latest operations could not be requested, otherwise empty. */
export function createStreamDetails(): Part<[picture: StreamPicture, problem: string]> {
  const handle = element('code');
  const waits = part('p', 'advice');
  const advice = part('p', 'advice');
  const operations = createItemTable<StreamOperation>(
    '',
    __('Latest operations in the trace, newest first'),
    operation => String(operation.number),
    [
      ['#', operation => String(operation.number), 'number'],
      [__('Operation'), operation => operation.name, 'value'],
      [__('Kind'), operation => operation.kind.replaceAll('-', ' ')],
      [__('Size'), ({ bytes }) => (bytes > 0 ? formatBytes(bytes) : ''), 'number'],
      [
        __('Duration'),
        ({ duration: time }) => (time === null ? __('not done') : formatDuration(time)),
        'number'
      ],
      [__('Cell'), operation => operation.cell ?? '']
    ]
  );
  const named = element('p', { class: 'advice' }, __('Handle'), ' ', handle);
  return {
    element: element('div', {}, named, waits, operations, advice),
    update(picture, problem) {
      setText(handle, picture.handle);
      setText(waits, waitSentence(picture));
      operations.update(picture.operations);
      operations.element.hidden = picture.operations.length === 0;
      setText(advice, problem || adviceFor(picture));
    }
  };
}

function waitSentence({ waits, waitsFor }: StreamPicture): string {
  if (waits === 0) return __('No waits for other streams.');
  const named = waitsFor.map(({ label, sequence }) => __('operation %1 of %2', sequence, label));
  const count = __('Waits for other streams: %1.', waits);
  return named.length === 0 ? count : `${count} ${__('Later work runs after %1.', named.join(', '))}`;
}

function adviceFor({ condition, problem, tracing, operations }: StreamPicture): string {
  if (condition === 'failed') return __('Driver error: %1', problem ?? '');
  if (condition === 'held')
    return __(
      'The hazard schedule holds work until something orders it. A query could let it run, so the state is not queried.'
    );
  if (condition === 'destroyed')
    return __('It was destroyed, or no variable held it: assign the stream to a variable to keep it.');
  if (condition === 'capturing') return __('Work submitted now is captured into a graph, not run.');
  if (!tracing) return __('The trace is off: trace.start() in a cell records operations.');
  return operations.length === 0 ? __('No operations recorded on this stream yet.') : '';
}
