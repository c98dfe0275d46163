/** Names that a wrong one may have meant. Pure. */

import { nearNames } from '../../base/did-you-mean.ts';

/** Shorter names resemble too many others. */
const SHORTEST = 3;

/** Names of `cuda` inside kernels, which those who know CUDA C++ write without `cuda.`. */
const deviceNames: string[] = [];

export function noteDeviceName(name: string): void {
  deviceNames.push(name);
}

/** What spellings of CUDA C++, Numba and JavaScript have in common: `__syncthreads` and `syncThreads`. */
const plain = (name: string): string => name.toLowerCase().replaceAll('_', '');

/** Finds the same name in another spelling, also without the end of `shfl_down_sync`. */
function sameName(wrong: string, names: readonly string[]): string | undefined {
  const sought = plain(wrong);
  const short = sought.replace(/sync$/, '');
  return names.find(each => plain(each) === sought) ?? names.find(each => plain(each) === short);
}

/** Returns a hint with the name that resembles a wrong one of an object; empty if none does. `of` is how the source names the object. */
export function suggestMember(of: string, wrong: string, names: readonly string[]): string {
  const found = nearest(wrong, names);
  if (found !== undefined) return `did you mean ${of}.${found}?`;
  return names.length > 0 && names.length <= 4 ? `${of} has ${names.join(', ')}` : '';
}

/** Returns a hint for a name of CUDA that stands without `cuda.`; empty for other names. */
export function suggestName(wrong: string): string {
  const found = sameName(wrong, deviceNames);
  return found === undefined ? '' : `write cuda.${found}`;
}

function nearest(wrong: string, names: readonly string[]): string | undefined {
  const sought = plain(wrong);
  const same = sameName(wrong, names);
  if (same !== undefined || sought.length < SHORTEST) return same;
  const longer = names.find(each => plain(each).startsWith(sought));
  // Of a word such as `popcount`, the start may be the name.
  const starts = (each: string): boolean => each.length > SHORTEST && sought.startsWith(plain(each));
  return longer ?? nearNames(wrong, names)[0] ?? names.find(starts);
}
