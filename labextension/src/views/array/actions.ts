/** The row of buttons, and a line beside them with the outcome, which is a polite live region. */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { copyText } from '../kit/clipboard.ts';
import { createCommands } from '../kit/commands.ts';
import { createButton, disable } from '../kit/controls.ts';
import { element, part, type Part, setAttribute, setText, uniqueId } from '../kit/dom.ts';
import { type Frame, noKernelSentence } from '../kit/framed.ts';
import { __ } from '../kit/phrases.ts';

/** Number of names listed before the rest is only counted. */
const NAMED_CHANGES = 4;

export interface Actions extends Part<[array: ArrayDescription]> {
  say(sentence: string): void;
}

export function createActions(frame: Frame): Actions {
  const { buttons, status, say, enable } = createCommands(frame.channel, [
    {
      method: 'refresh',
      label: __('Refresh'),
      title: __('Describe the array again'),
      waiting: __('Refreshing…'),
      done: __('Up to date, nothing changed.')
    },
    {
      method: 'synchronize',
      label: __('Synchronize'),
      title: __("Wait until the array's streams are done, then refresh"),
      waiting: __('Waiting for the streams…'),
      done: __('The streams were already done.')
    }
  ]);
  const reason = element('span', { class: 'muted', id: uniqueId('reason') });
  let current: ArrayDescription | undefined;
  const copy = createButton(
    __('Copy descriptor as JSON'),
    __('Keys and values of the descriptor, as text'),
    () => {
      if (current) void copyDescriptor(current, say);
    }
  );
  return {
    element: part('div', 'actions', ...buttons, copy, reason, status),
    say,
    update(array) {
      current = array;
      const freed = array.lifetime === 'freed' ? __('The array is freed.') : '';
      const why = frame.connected ? freed : noKernelSentence(frame);
      enable(why);
      setText(reason, frame.channel ? why : '');
      for (const button of buttons) setAttribute(button, 'aria-describedby', why === '' ? null : reason.id);
      disable(copy, array.descriptor.length === 0);
    }
  };
}

export function changeSentence(names: readonly string[]): string {
  const named = names.slice(0, NAMED_CHANGES).join(', ');
  if (names.length <= NAMED_CHANGES) return __('Changed: %1.', named);
  return __('Changed: %1 and %2 more.', named, names.length - NAMED_CHANGES);
}

/** Formats the descriptor's keys with their values as shown; derived rows are not part of the descriptor. */
export function descriptorJson(array: ArrayDescription): string {
  const keys = array.descriptor.filter(row => !row.derived);
  return JSON.stringify(Object.fromEntries(keys.map(row => [row.key, row.value])), null, 2);
}

async function copyDescriptor(
  array: ArrayDescription,
  say: (sentence: string, kind?: 'plain' | 'error') => void
): Promise<void> {
  try {
    await copyText(descriptorJson(array));
    say(__('Copied the descriptor.'));
  } catch (error) {
    say((error as Error).message, 'error');
  }
}
