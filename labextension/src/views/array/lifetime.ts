/** What a reader may believe of a picture: is the memory there, and is there a kernel that could say more? */

import type { Lifetime } from '../../../../src/pictures/array/schema.ts';
import { showNoKernel } from '../kit/no-kernel.ts';
import type { Channel } from '../kit/view.ts';
import type { Badge } from '../kit/badge.ts';
import { __ } from '../kit/phrases.ts';

/** Without a kernel every picture is a snapshot; it still says if the memory was freed or lost by then. */
export function showLifetime(
  badge: Badge,
  lifetime: Lifetime,
  connected: boolean,
  channel: Channel | undefined
): void {
  if (connected && lifetime === 'live') badge.show('live', __('live'), __('The memory is allocated.'));
  else if (connected && lifetime === 'freed')
    badge.show('freed', __('freed'), __('The memory was freed; the pointer must not be used.'));
  else if (connected && lifetime === 'lost')
    badge.show('lost', __('lost'), __('The device is lost, and the values with it.'));
  else showNoKernel(badge, channel, goneWord(lifetime));
}

/** Empty where the memory was there. */
function goneWord(lifetime: Lifetime): string {
  if (lifetime === 'freed') return __('snapshot, freed');
  return lifetime === 'lost' ? __('snapshot, lost') : '';
}
