import { didYouMean } from '../../../src/base/did-you-mean.ts';
import type { NotebookNames } from '../transform/names.ts';

/** Similar names of one or two letters are no mistakes of spelling. */
const SHORTEST = 3;

/** Returns what to say after `x is not defined`; empty if nothing is known. */
export function nameAdvice(name: string, names: NotebookNames): string {
  if (names.isUnreached(name)) return ': the cell that declares it failed before it reached the declaration';
  if (name.length < SHORTEST) return '';
  return didYouMean(name, [...names.list(), ...Object.getOwnPropertyNames(globalThis)]);
}
