/** A stream in one line: name, state, progress. It expands to what the stream waits for and its latest operations. */

import {
  STREAM_PICTURE_VERSION,
  type StreamCondition,
  type StreamOperation,
  type StreamPicture
} from '../../../../src/pictures/stream/schema.ts';
import { createBadge, type BadgeKind } from '../kit/badge.ts';
import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatDuration } from '../../../../src/base/time-text.ts';
import { createCommands } from '../kit/commands.ts';
import { createButton } from '../kit/controls.ts';
import { element, part, setAttribute, setText, uniqueId } from '../kit/dom.ts';
import { createItemTable } from '../kit/item-table.ts';
import { framedView, noKernelSentence, showState } from '../kit/framed.ts';
import { __ } from '../kit/phrases.ts';

/** Minimum interval between two reads of the trace, in ms: each read scans the whole trace. */
const LOOK_PERIOD = 1000;

export const createStreamPill = framedView<StreamPicture>('stream-pill', STREAM_PICTURE_VERSION, frame => {
  const { channel, state } = frame;
  const panelId = uniqueId('stream');
  const label = element('strong');
  const fold = createButton(
    element('span', { class: 'fold-sign', 'aria-hidden': 'true' }),
    '',
    toggle,
    'fold'
  );
  fold.append(label);
  setAttribute(fold, 'aria-expanded', 'false');
  setAttribute(fold, 'aria-controls', panelId);
  const device = part('span', 'device');
  const condition = createBadge();
  const handle = element('code');
  const flags = part('span', 'fact');
  const progress = element('span', { class: 'progress', title: __('Operations submitted by this process') });
  const { buttons, status, enable } = createCommands(channel, [
    {
      method: 'synchronize',
      label: __('Synchronize'),
      waiting: __('Waiting for the stream…'),
      done: __('All submitted work is done.')
    }
  ]);
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
  const panel = element('div', { id: panelId }, named, waits, operations, advice);
  panel.hidden = true;
  let lastLook = 0;
  let seen = -1;

  /** Asks the kernel to read the trace; the next state contains the result. */
  const look = async (): Promise<void> => {
    lastLook = Date.now();
    try {
      await channel?.request('operations');
    } catch (error) {
      setText(advice, (error as Error).message);
    }
  };
  function toggle(): void {
    panel.hidden = !panel.hidden;
    setAttribute(fold, 'aria-expanded', String(!panel.hidden));
    if (!panel.hidden && frame.connected) void look();
  }

  return {
    elements: [
      part(
        'div',
        'header',
        fold,
        device,
        condition,
        progress,
        flags,
        ...buttons,
        ...(channel ? [status] : []),
        state
      ),
      panel
    ],
    label: ({ label: name, device: place }) => __('%1 on %2', name, place),
    draw(picture) {
      const isDestroyed = picture.condition === 'destroyed';
      setText(label, picture.label);
      setText(device, picture.simulated ? __('%1 (simulated)', picture.device) : picture.device);
      condition.show(...badgeOf(picture.condition), picture.problem ?? undefined);
      setText(handle, picture.handle);
      setText(flags, flagWords(picture));
      setAttribute(flags, 'title', rangeOf(picture));
      setText(progress, __('%1 of %2 done', picture.completed, picture.submitted));
      showState(frame, [!isDestroyed && 'live', __('live')]);
      enable(frame.connected ? unavailable(picture) : noKernelSentence(frame));
      setText(waits, waitSentence(picture));
      operations.update(picture.operations);
      operations.element.hidden = picture.operations.length === 0;
      setText(advice, adviceFor(picture));
      // While folded, the trace is not read.
      const isNew = picture.submitted !== seen || picture.condition === 'busy';
      const mayLook = frame.connected && picture.tracing && Date.now() - lastLook > LOOK_PERIOD;
      seen = picture.submitted;
      if (!panel.hidden && isNew && mayLook) void look();
    }
  };
});

function badgeOf(condition: StreamCondition): [kind: BadgeKind, word: string] {
  const badges: Readonly<Record<StreamCondition, [BadgeKind, string]>> = {
    idle: ['idle', __('idle')],
    busy: ['busy', __('busy')],
    held: ['busy', __('held')],
    capturing: ['exported', __('capturing')],
    destroyed: ['destroyed', __('destroyed')],
    failed: ['violation', __('failed')]
  };
  return badges[condition];
}

function flagWords({ blocking, owned, priority }: StreamPicture): string {
  const words = [blocking ? __('blocking') : __('non-blocking')];
  if (!owned) words.push(__('external'));
  words.push(__('priority %1', priority));
  return words.join(', ');
}

function rangeOf({ priorities }: StreamPicture): string | null {
  if (priorities === null) return null;
  return __('From %1 to %2; lower numbers go first', priorities.greatest, priorities.least);
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

function unavailable({ condition }: StreamPicture): string {
  if (condition === 'destroyed') return __('The stream was destroyed: there is nothing to wait for.');
  if (condition === 'capturing') return __('A stream under capture cannot be synchronized.');
  return '';
}
