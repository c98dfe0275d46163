/** What a reader may believe of a picture: is the memory there, and is there a kernel that could say more? */

import type { Lifetime } from '../../../../src/pictures/array/schema.ts';
import { showNoKernel } from '../kit/no-kernel.ts';
import type { Phrases } from '../kit/phrases.ts';
import type { Channel } from '../kit/view.ts';
import type { Badge } from '../kit/badge.ts';

/** Without a kernel every picture is a snapshot, but that the memory was already gone stays worth saying. */
export function showLifetime(
  badge: Badge,
  lifetime: Lifetime,
  connected: boolean,
  phrases: Phrases,
  channel: Channel | undefined
): void {
  if (connected && lifetime === 'live')
    badge.show('live', phrases.__('live'), phrases.__('The memory is allocated.'));
  else if (connected && lifetime === 'freed')
    badge.show(
      'freed',
      phrases.__('freed'),
      phrases.__('The memory was freed; the pointer must not be used.')
    );
  else if (connected && lifetime === 'lost')
    badge.show('lost', phrases.__('lost'), phrases.__('The device is lost, and the values with it.'));
  else showNoKernel(badge, phrases, channel, goneWord(lifetime, phrases));
}

/** Empty where the memory was there. */
function goneWord(lifetime: Lifetime, phrases: Phrases): string {
  if (lifetime === 'freed') return phrases.__('snapshot, freed');
  return lifetime === 'lost' ? phrases.__('snapshot, lost') : '';
}
