/** The page's translation: the widget manager makes the views itself and hands them none. */

import { englishPhrases } from '../views/kit/phrases.ts';
import type { Phrases } from '../views/kit/phrases.ts';

let inUse = englishPhrases;

/** Called before the first view is made, and before the first kernel is asked. */
export function usePhrases(phrases: Phrases): void {
  inUse = phrases;
}

export function phrasesInUse(): Phrases {
  return inUse;
}
