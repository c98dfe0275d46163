/** What is said where no kernel answers: none stands behind the picture, or only the way to it is interrupted. */

import type { Badge } from './badge.ts';
import type { Phrases } from './phrases.ts';
import type { Channel } from './view.ts';

/** Why the buttons are off. */
export function noKernelSentence(phrases: Phrases, channel: Channel | undefined): string {
  return channel?.offline === true
    ? lostSentence(phrases)
    : phrases.__('No kernel is connected: run the cell again to make this picture live.');
}

export function lostSentence(phrases: Phrases): string {
  return phrases.__(
    'The server connection is lost. Updates resume when it is back; Kernel > Reconnect to Kernel retries now.'
  );
}

/** In the place of `live`. */
export function showNoKernel(badge: Badge, phrases: Phrases, channel: Channel | undefined, word = ''): void {
  if (channel?.offline === true)
    badge.show('disconnected', phrases.__('disconnected'), lostSentence(phrases));
  else
    badge.show(
      'snapshot',
      word || phrases.__('snapshot'),
      phrases.__('The state when this picture was made; it is not updated.')
    );
}

/** Whether what happens is recorded. */
export function showRecording(
  badge: Badge,
  isOn: boolean,
  connected: boolean,
  phrases: Phrases,
  channel: Channel | undefined
): void {
  if (!connected) showNoKernel(badge, phrases, channel);
  else if (isOn) badge.show('live', phrases.__('recording'));
  else badge.show('idle', phrases.__('not recording'));
}
