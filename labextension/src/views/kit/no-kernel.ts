/** Sentences for pictures without a kernel: none is connected, or the connection is lost. */

import type { Badge } from './badge.ts';
import type { Channel } from './view.ts';
import { __ } from './phrases.ts';

/** Returns the reason why the buttons are disabled. */
export function noKernelSentence(channel: Channel | undefined): string {
  return channel?.offline === true
    ? lostSentence()
    : __('No kernel is connected: run the cell again to make this picture live.');
}

export function lostSentence(): string {
  return __(
    'The server connection is lost. Updates resume when it is back; Kernel > Reconnect to Kernel retries now.'
  );
}

/** Shows the badge that replaces `live`. */
export function showNoKernel(badge: Badge, channel: Channel | undefined, word = ''): void {
  if (channel?.offline === true) badge.show('disconnected', __('disconnected'), lostSentence());
  else
    badge.show(
      'snapshot',
      word || __('snapshot'),
      __('The state when this picture was made; it is not updated.')
    );
}

/** Shows whether a recording is running. */
export function showRecording(
  badge: Badge,
  isOn: boolean,
  connected: boolean,
  channel: Channel | undefined
): void {
  if (!connected) showNoKernel(badge, channel);
  else if (isOn) badge.show('live', __('recording'));
  else badge.show('idle', __('not recording'));
}
