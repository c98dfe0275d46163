/** What a reader may believe of a picture: is the memory there, and is there a kernel that could say more? */

import type { Lifetime } from '../../../../src/description/schema.ts';
import type { Phrases } from '../phrases.ts';

export interface LifetimeText {
  readonly kind: Lifetime;
  readonly word: string;
  readonly meaning: string;
}

/** Without a kernel every picture is a snapshot, but that the memory was already gone stays worth saying. */
export function describeLifetime(lifetime: Lifetime, connected: boolean, phrases: Phrases): LifetimeText {
  if (connected && lifetime === 'live')
    return { kind: 'live', word: phrases.__('live'), meaning: phrases.__('The memory is allocated.') };
  if (connected && lifetime === 'freed')
    return {
      kind: 'freed',
      word: phrases.__('freed'),
      meaning: phrases.__('The memory was given back; the pointer must not be used.')
    };
  if (connected && lifetime === 'lost')
    return {
      kind: 'lost',
      word: phrases.__('lost'),
      meaning: phrases.__('The device is lost to the process: what the array held is gone.')
    };
  return {
    kind: 'snapshot',
    word:
      lifetime === 'freed'
        ? phrases.__('snapshot, freed')
        : lifetime === 'lost'
          ? phrases.__('snapshot, lost')
          : phrases.__('snapshot'),
    meaning: phrases.__('As it was when this picture was made; it does not follow the array.')
  };
}
