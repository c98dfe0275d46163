/** A stream in one line: name, state, progress. It expands to what the stream waits for and its latest operations. */

import {
  STREAM_PICTURE_VERSION,
  type StreamCondition,
  type StreamPicture
} from '../../../../src/pictures/stream/schema.ts';
import { createBadge, type BadgeKind } from '../kit/badge.ts';
import { createCommands } from '../kit/commands.ts';
import { createButton } from '../kit/controls.ts';
import { element, part, setAttribute, setText, uniqueId } from '../kit/dom.ts';
import { framedView, noKernelSentence, showState } from '../kit/framed.ts';
import { createLazyPart } from '../kit/lazy-part.ts';
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
  const details = createLazyPart<[picture: StreamPicture, problem: string]>(frame.signal, async () =>
    (await import('./details.ts')).createStreamDetails()
  );
  const panel = details.element;
  panel.id = panelId;
  panel.hidden = true;
  let shown: StreamPicture | undefined;
  let lastLook = 0;
  let seen = -1;

  /** Asks the kernel to read the trace; the next state contains the result. */
  const look = async (): Promise<void> => {
    lastLook = Date.now();
    try {
      await channel?.request('operations');
    } catch (error) {
      if (shown) details.update(shown, (error as Error).message);
    }
  };
  function toggle(): void {
    panel.hidden = !panel.hidden;
    setAttribute(fold, 'aria-expanded', String(!panel.hidden));
    if (panel.hidden) return;
    details.opened();
    if (frame.connected) void look();
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
      shown = picture;
      const isDestroyed = picture.condition === 'destroyed';
      setText(label, picture.label);
      setText(device, picture.simulated ? __('%1 (simulated)', picture.device) : picture.device);
      condition.show(...badgeOf(picture.condition), picture.problem ?? undefined);
      setText(flags, flagWords(picture));
      setAttribute(flags, 'title', rangeOf(picture));
      setText(progress, __('%1 of %2 done', picture.completed, picture.submitted));
      showState(frame, [!isDestroyed && 'live', __('live')]);
      enable(frame.connected ? unavailable(picture) : noKernelSentence(frame));
      details.update(picture, '');
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

function unavailable({ condition }: StreamPicture): string {
  if (condition === 'destroyed') return __('The stream was destroyed: there is nothing to wait for.');
  if (condition === 'capturing') return __('A stream under capture cannot be synchronized.');
  return '';
}
