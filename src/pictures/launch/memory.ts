/** How a GPU serves an access of a warp: sectors of global memory, banks of shared memory. Pure: kernel and page use it. */

import type { AccessSite, LaunchArray, WarpAccess } from './schema.ts';

export const WARP = 32;
/** Global memory is read and written in sectors, four in a cache line. */
export const SECTOR = 32;
/** Shared memory has this many banks; each serves a word of four bytes at a time. */
export const BANKS = 32;
const WORD = 4;

/** What an access costs, and how little would do for its bytes. */
interface Cost {
  readonly units: number;
  readonly least: number;
}

/** Returns the numbers of the active lanes. */
export function lanesOf({ lanes }: Pick<WarpAccess, 'lanes'>): number[] {
  return Array.from({ length: WARP }, (_, lane) => lane).filter(lane => ((lanes >>> lane) & 1) !== 0);
}

/** Returns the byte offset of each active lane. */
export function offsetsOf(access: Pick<WarpAccess, 'lanes' | 'offsets' | 'step'>): readonly number[] {
  const { offsets, step } = access;
  if (step === null) return offsets;
  return lanesOf(access).map((_, index) => offsets[0]! + index * step);
}

/** Returns the number of the sector with the byte at an offset. Sector 0 is the first of the cache line in which the array starts. */
export const sectorOf = ({ base }: Pick<LaunchArray, 'base'>, offset: number): number =>
  Math.floor((base + offset) / SECTOR);

/** Returns an array with elements as long as what a lane accesses at once. */
export const accessedArray = (array: LaunchArray, { bytes }: Pick<AccessSite, 'bytes'>): LaunchArray =>
  bytes === undefined ? array : { ...array, bytes };

/** Returns the numbers of the words of an element at an offset. */
export function wordsOf({ bytes }: Pick<LaunchArray, 'bytes'>, offset: number): number[] {
  const first = Math.floor(offset / WORD);
  return Array.from({ length: Math.ceil(bytes / WORD) }, (_, index) => first + index);
}

/** Returns the distinct words that an access needs of each bank, in the order of the lanes. */
export function bankWords(array: Pick<LaunchArray, 'bytes'>, offsets: readonly number[]): number[][] {
  const banks = Array.from({ length: BANKS }, (): number[] => []);
  for (const word of new Set(offsets.flatMap(offset => wordsOf(array, offset))))
    banks[word % BANKS]!.push(word);
  return banks;
}

/** Counts the sectors that an access touches, or the passes that the banks need: lanes that read one word share it. */
export function costOf(array: LaunchArray, offsets: readonly number[]): Cost {
  if (array.space === 'shared') {
    const counts = bankWords(array, offsets).map(words => words.length);
    const words = counts.reduce((sum, count) => sum + count, 0);
    return { units: Math.max(...counts), least: Math.ceil(words / BANKS) };
  }
  const least = Math.ceil((new Set(offsets).size * array.bytes) / SECTOR);
  return { units: new Set(offsets.map(offset => sectorOf(array, offset))).size, least };
}
