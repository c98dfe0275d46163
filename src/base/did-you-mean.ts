/** Suggests similar names in messages about unknown ones. Pure. */

import { distance } from 'fastest-levenshtein';
import { ArgumentError } from './errors.ts';

const MOST = 3;

/** Finds the known names nearest to `word`, the nearest first: at most one wrong letter in three, a different case, or `word` as prefix. */
export function nearNames(word: string, known: Iterable<string>): string[] {
  const wanted = word.toLowerCase();
  const errors = Math.ceil(wanted.length / 3);
  const found: (readonly [name: string, far: number])[] = [];
  for (const name of known) {
    const lower = name.toLowerCase();
    const far = distance(wanted, lower);
    if (far <= errors || (wanted.length > 2 && lower.startsWith(wanted))) found.push([name, far]);
  }
  found.sort((a, b) => a[1] - b[1]);
  const nearest = found[0]?.[1] ?? 0;
  return found
    .filter(([, far]) => far <= nearest + 1)
    .map(([name]) => name)
    .slice(0, MOST);
}

/** Formats `: did you mean 'float32'?`; empty if no name is similar. `meant` overrides the search. */
export function didYouMean(word: string, known: Iterable<string>, meant: readonly string[] = []): string {
  const near = meant.length > 0 ? meant : nearNames(word, known);
  return near.length === 0 ? '' : `: did you mean ${near.map(name => `'${name}'`).join(' or ')}?`;
}

/** Checks the names of options. @throws ArgumentError for one that `caller` does not have */
export function requireOptions(caller: string, options: object, known: ReadonlySet<string>): void {
  for (const name in options) {
    if (known.has(name)) continue;
    const guess = didYouMean(name, known);
    throw new ArgumentError(
      `${caller}: unknown option '${name}'${guess === '' ? `; expected ${[...known].join(', ')}` : guess}`
    );
  }
}
