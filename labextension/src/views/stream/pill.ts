/** A stream in one line: who it is, what it does, how far it is. It unfolds to what it waits for and what it did last. */

import {
  STREAM_PICTURE_VERSION,
  type StreamCondition,
  type StreamOperation,
  type StreamPicture
} from '../../../../src/pictures/stream/schema.ts';
import { createBadge, type BadgeKind } from '../kit/badge.ts';
import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatDuration } from '../../../../src/base/time-text.ts';
import {
  createKeyedList,
  createTable,
  element,
  type KeyedChild,
  part,
  setAttribute,
  setText,
  uniqueId
} from '../kit/dom.ts';
import { createCommand, framedView } from '../kit/framed.ts';
import { noKernelSentence, showNoKernel } from '../kit/no-kernel.ts';
import type { Phrases } from '../kit/phrases.ts';
import type { View, ViewOptions } from '../kit/view.ts';

/** Milliseconds between two looks at the trace, of which the kernel reads all. */
const LOOK_PERIOD = 1000;

const SIGNS: Readonly<Record<StreamCondition, BadgeKind>> = {
  idle: 'idle',
  busy: 'busy',
  held: 'busy',
  capturing: 'exported',
  destroyed: 'destroyed',
  failed: 'violation'
};

export function createStreamPill(host: HTMLElement, { phrases, channel }: ViewOptions): View {
  const __ = phrases.__.bind(phrases);
  const panelId = uniqueId('stream');
  const label = element('strong');
  const fold = element(
    'button',
    {
      class: 'fold',
      type: 'button',
      'aria-expanded': 'false',
      'aria-controls': panelId
    },
    element('span', { class: 'fold-sign', 'aria-hidden': 'true' }),
    label
  );
  const device = part('span', 'device');
  const condition = createBadge();
  const handle = element('code');
  const flags = part('span', 'fact');
  const progress = element('span', { class: 'progress', title: __('Operations submitted here') });
  const lifetime = createBadge('lifetime');
  const synchronize = createCommand(channel, 'synchronize', __('Synchronize'), {
    waiting: __('Waiting for the stream…'),
    done: __('All submitted work is done.')
  });
  const waits = part('p', 'advice');
  const advice = part('p', 'advice');
  const body = element('tbody');
  const head = (text: string): HTMLElement => element('th', { scope: 'col', class: 'number' }, text);
  const headings = [
    head(__('Record')),
    __('Operation'),
    __('Kind'),
    head(__('Bytes')),
    head(__('Took')),
    __('Cell')
  ];
  const table = createTable('', __('Latest operations in the trace, newest first'), headings, body);
  const updateOperations = createKeyedList<StreamOperation>(
    body,
    operation => String(operation.number),
    () => createOperation(phrases)
  );
  const named = element('p', { class: 'advice' }, __('Handle'), ' ', handle);
  const panel = element('div', { id: panelId }, named, waits, table, advice);
  panel.hidden = true;
  let live = false;
  let lastLook = 0;
  let seen = -1;

  /** Has the kernel read the trace; the state that follows brings what it found. */
  const look = async (): Promise<void> => {
    lastLook = Date.now();
    try {
      await channel?.request('operations');
    } catch (error) {
      setText(advice, (error as Error).message);
    }
  };
  fold.addEventListener('click', () => {
    panel.hidden = !panel.hidden;
    setAttribute(fold, 'aria-expanded', String(!panel.hidden));
    if (!panel.hidden && live) void look();
  });

  const line = part(
    'div',
    'header',
    fold,
    device,
    condition.element,
    progress,
    flags,
    ...synchronize.elements,
    lifetime.element
  );
  return framedView<StreamPicture>(
    host,
    'stream-pill',
    STREAM_PICTURE_VERSION,
    phrases,
    [line, panel],
    (picture, connected, root) => {
      live = connected;
      setAttribute(root, 'aria-label', __('%1 on %2', picture.label, picture.device));
      setText(label, picture.label);
      setText(device, picture.simulated ? __('%1 (simulated)', picture.device) : picture.device);
      condition.show(
        SIGNS[picture.condition],
        conditionWord(picture.condition, phrases),
        picture.problem ?? undefined
      );
      setText(handle, picture.handle);
      setText(flags, flagWords(picture, phrases));
      setAttribute(flags, 'title', rangeOf(picture, phrases));
      setText(progress, __('%1 of %2 done', picture.completed, picture.submitted));
      if (connected && picture.condition === 'destroyed') lifetime.show(false);
      else if (connected) lifetime.show('live', __('live'));
      else showNoKernel(lifetime, phrases, channel);
      synchronize.enable(connected ? unavailable(picture, phrases) : noKernelSentence(phrases, channel));
      setText(waits, waitSentence(picture, phrases));
      updateOperations(picture.operations);
      table.hidden = picture.operations.length === 0;
      setText(advice, adviceFor(picture, phrases));
      // Folded, nothing of the trace is read.
      const news = picture.submitted !== seen || picture.condition === 'busy';
      seen = picture.submitted;
      if (!panel.hidden && connected && picture.tracing && news && Date.now() - lastLook > LOOK_PERIOD)
        void look();
    }
  );
}

function createOperation(phrases: Phrases): KeyedChild<StreamOperation> {
  const number = element('th', { scope: 'row', class: 'number' });
  const name = part('td', 'value');
  const kind = element('td');
  const bytes = part('td', 'number');
  const took = part('td', 'number');
  const cell = element('td');
  return {
    element: element('tr', {}, number, name, kind, bytes, took, cell),
    update(operation) {
      setText(number, String(operation.number));
      setText(name, operation.name);
      setText(kind, operation.kind.replaceAll('-', ' '));
      setText(bytes, operation.bytes > 0 ? formatBytes(operation.bytes) : '');
      const { duration } = operation;
      setText(took, duration === null ? phrases.__('not done') : formatDuration(duration));
      setText(cell, operation.cell ?? '');
    }
  };
}

function conditionWord(condition: StreamCondition, phrases: Phrases): string {
  switch (condition) {
    case 'idle':
      return phrases.__('idle');
    case 'busy':
      return phrases.__('busy');
    case 'held':
      return phrases.__('held');
    case 'capturing':
      return phrases.__('capturing');
    case 'destroyed':
      return phrases.__('destroyed');
    case 'failed':
      return phrases.__('failed');
  }
}

function flagWords({ blocking, owned, priority }: StreamPicture, phrases: Phrases): string {
  const words = [blocking ? phrases.__('blocking') : phrases.__('non-blocking')];
  if (!owned) words.push(phrases.__('external'));
  words.push(phrases.__('priority %1', priority));
  return words.join(', ');
}

function rangeOf({ priorities }: StreamPicture, phrases: Phrases): string | null {
  if (priorities === null) return null;
  return phrases.__('From %1 to %2; lower numbers go first', priorities.greatest, priorities.least);
}

function waitSentence({ waits, waitsFor }: StreamPicture, phrases: Phrases): string {
  if (waits === 0) return phrases.__('Waits for no other stream.');
  const named = waitsFor.map(({ label, sequence }) => phrases.__('%1 up to operation %2', label, sequence));
  const count = phrases.__('Waits for other streams: %1.', waits);
  return named.length === 0 ? count : `${count} ${phrases.__('Later work runs after %1.', named.join(', '))}`;
}

function adviceFor({ condition, problem, tracing, operations }: StreamPicture, phrases: Phrases): string {
  if (condition === 'failed') return phrases.__('Driver error: %1', problem ?? '');
  if (condition === 'held')
    return phrases.__(
      'The hazard schedule holds work until something orders it. A query could let it run, so the state is not queried.'
    );
  if (condition === 'destroyed')
    return phrases.__(
      'It was destroyed, or no variable held it: assign the stream to a variable to keep it.'
    );
  if (condition === 'capturing') return phrases.__('Work submitted now is captured into a graph, not run.');
  if (!tracing) return phrases.__('The trace is off: trace.start() in a cell records operations.');
  return operations.length === 0 ? phrases.__('No operations recorded on this stream yet.') : '';
}

function unavailable({ condition }: StreamPicture, phrases: Phrases): string {
  if (condition === 'destroyed') return phrases.__('The stream was destroyed: there is nothing to wait for.');
  if (condition === 'capturing') return phrases.__('A stream under capture cannot be synchronized.');
  return '';
}
