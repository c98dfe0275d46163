/** What a reader may believe of a picture: is the memory there, and is there a kernel that could say more? */

import type { Lifetime } from '../../../../src/description/schema.ts';
import { showNoKernel } from '../no-kernel.ts';
import type { Phrases } from '../phrases.ts';
import type { Channel } from '../view.ts';
import type { Badge } from './badge.ts';

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
      phrases.__('The memory was given back; the pointer must not be used.')
    );
  else showNoKernel(badge, phrases, channel, lifetime === 'freed' ? phrases.__('snapshot, freed') : '');
}
