/** Badge of a picture's validity: whether the memory is valid, and whether a kernel is attached. */

import type { Lifetime } from '../../../../src/pictures/array/schema.ts';
import { showNoKernel } from '../kit/no-kernel.ts';
import type { Channel } from '../kit/view.ts';
import type { Badge } from '../kit/badge.ts';
import { __ } from '../kit/phrases.ts';

/** Shows the badge. Without a kernel every picture is a snapshot, which still shows if the memory was already freed or lost. */
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

/** Empty if the memory was valid. */
function goneWord(lifetime: Lifetime): string {
  if (lifetime === 'freed') return __('snapshot, freed');
  return lifetime === 'lost' ? __('snapshot, lost') : '';
}
