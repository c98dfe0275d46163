/** The row of buttons, and a line beside them with the outcome, which is a polite live region. */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { copyText } from '../kit/clipboard.ts';
import { createButton, disable } from '../kit/controls.ts';
import { createStatus, element, part, setAttribute, setText, uniqueId } from '../kit/dom.ts';
import { noKernelSentence } from '../kit/no-kernel.ts';
import type { Channel } from '../kit/view.ts';
import { __ } from '../kit/phrases.ts';

/** Number of names listed before the rest is only counted. */
const NAMED_CHANGES = 4;

export function createActions(channel: Channel | undefined) {
  const { element: status, say } = createStatus();
  const reason = element('span', { class: 'muted', id: uniqueId('reason') });
  let current: ArrayDescription | undefined;
  let isConnected = false;
  let pending = false;

  const run = async (waiting: string, done: string, command: () => Promise<unknown>): Promise<void> => {
    pending = true;
    showAvailability();
    say(waiting, 'pending');
    try {
      await command();
      // An update that arrived first has already reported the changes, which is worth more than "done".
      if (status.getAttribute('data-kind') === 'pending') say(done);
    } catch (error) {
      say((error as Error).message, 'error');
    } finally {
      pending = false;
      showAvailability();
    }
  };
  const live = channel && [
    createButton(__('Refresh'), __('Describe the array again'), () => {
      void run(__('Asking the kernel…'), __('Up to date, nothing changed.'), () =>
        channel.request('refresh')
      );
    }),
    createButton(
      __('Synchronize'),
      __("Wait until the array's streams are done, then describe it again"),
      () => {
        void run(__('Waiting for the streams…'), __('The streams were already done.'), () =>
          channel.request('synchronize')
        );
      }
    )
  ];
  const copy = createButton(
    __('Copy descriptor as JSON'),
    __('Keys and values of the descriptor, as text'),
    () => {
      if (current) void copyDescriptor(current, say);
    }
  );

  function showAvailability(): void {
    const why = isConnected ? whyFreed(current) : noKernelSentence(channel);
    setText(reason, live ? why : '');
    disable(copy, current?.descriptor.length === 0);
    for (const button of live ?? []) {
      disable(button, why !== '' || pending);
      setAttribute(button, 'aria-describedby', why !== '' ? reason.id : null);
    }
  }

  return {
    element: part('div', 'actions', ...(live ?? []), copy, reason, status),
    update(array: ArrayDescription, connected: boolean): void {
      current = array;
      isConnected = connected;
      showAvailability();
    },
    /** Shows and announces a sentence. */
    say
  };
}

/** Builds the sentence that lists changed names. */
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
  } catch {
    say(__('The browser did not allow writing to the clipboard.'), 'error');
  }
}

function whyFreed(array: ArrayDescription | undefined): string {
  return array?.lifetime === 'freed' ? __('The array is freed.') : '';
}
