/** Words for times, addresses and owners. */

import { HOLDINGS } from '../../../../src/description/memory-schema.ts';
import type { Phrases } from '../phrases.ts';
import { BORROWED } from './history.ts';
import type { Allocation } from './history.ts';

/** Milliseconds in a unit that suits them. */
export function formatTime(milliseconds: number): string {
  if (milliseconds < 1) return `${Math.round(milliseconds * 1000)} µs`;
  if (milliseconds < 1000) return `${Number(milliseconds.toPrecision(3))} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const minutes = Math.floor(milliseconds / 60_000);
  return `${minutes} min ${Math.round(milliseconds / 1000) % 60} s`;
}

export const formatAddress = (pointer: number): string => `0x${pointer.toString(16)}`;

/** The variable that holds an allocation, or what is known instead. */
export function ownerWords({ owner, kind, holding, gone }: Allocation, phrases: Phrases): string {
  if (owner !== '') return owner;
  if (gone >= 0) return phrases.__('no variable');
  switch (HOLDINGS[holding]) {
    case 'held':
      return phrases.__('no variable: held by an object or a function');
    case 'exported':
      return phrases.__('no variable: kept by another library');
    case 'soon':
      return phrases.__('no variable: goes with the next garbage');
    default:
      return kind === BORROWED ? phrases.__('borrowed') : phrases.__('no variable known');
  }
}
