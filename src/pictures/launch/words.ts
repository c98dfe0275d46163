/** Figures of a launch in words, for kernel and page. Pure. */

import { formatCounted } from '../../base/count-text.ts';
import { formatDuration } from '../../base/time-text.ts';
import { BANKS, SECTOR } from './memory.ts';
import type { AccessSite, BranchSite, LaunchPicture, Triple } from './schema.ts';

/** `(4, 1, 1)`. */
export const tripleText = (triple: readonly number[]): string => `(${triple.join(', ')})`;

/** Returns where number `index` is in a grid or block, x first. */
export function positionIn([x, y]: Triple, index: number): Triple {
  return [index % x, Math.floor(index / x) % y, Math.floor(index / (x * y))];
}

export const volumeOf = ([x, y, z]: Triple): number => x * y * z;

const rounded = (value: number): string => String(Number(value.toFixed(1)));
const percent = (part: number, whole: number): string => `${Math.round((100 * part) / whole)} %`;

/** `read x`. */
export const siteName = ({ arrays }: LaunchPicture, { kind, array }: AccessSite): string =>
  `${kind} ${arrays[array]!.name}`;

/** Describes what an access of an average warp costs: `5 sectors, 80 %`, `2-way bank conflict`. */
export function costText(
  { arrays }: LaunchPicture,
  {
    array,
    units,
    least,
    runs = 1,
    together = 0,
    kind
  }: Partial<AccessSite> & Pick<AccessSite, 'array' | 'units' | 'least'>
): string {
  const crowd = kind === 'atomic' && together > 1 ? `, up to ${together} lanes at one address` : '';
  if (arrays[array]!.space === 'shared')
    return (units === least ? 'no bank conflict' : `${rounded(units / least)}-way bank conflict`) + crowd;
  const average = rounded(units / runs);
  return `${average} ${average === '1' ? 'sector' : 'sectors'}, ${percent(least, units)}${crowd}`;
}

export function branchText({ warps, divergent }: BranchSite): string {
  return divergent === 0 ? 'no divergence' : `divergent warps: ${divergent} of ${warps}`;
}

/** Returns the figures of one of the picture's rows. */
export function rowTexts(picture: LaunchPicture, row: number): string[] {
  const here = <Site extends { readonly row: number }>(site: Site): boolean => site.row === row;
  return [
    ...picture.sites.filter(here).map(site => `${siteName(picture, site)}: ${costText(picture, site)}`),
    ...picture.branches.filter(here).map(branchText),
    ...picture.faults.filter(fault => fault.row === row).map(({ kind }) => `✕ ${kind}`)
  ].filter(Boolean);
}

/** `grid (4, 1, 1), block (256, 1, 1), 1024 threads`. */
export function shapeText({ grid, block }: LaunchPicture): string {
  const threads = volumeOf(grid) * volumeOf(block);
  return `grid ${tripleText(grid)}, block ${tripleText(block)}, ${formatCounted(threads, 'thread')}`;
}

/** Returns the totals, a sentence or two each. */
export function summaryTexts(picture: LaunchPicture): string[] {
  const { sites, arrays, branches, faults, blocks, grid, complete, gpu } = picture;
  const sum = (space: string, field: 'units' | 'least'): number =>
    sites.reduce((total, site) => total + (arrays[site.array]!.space === space ? site[field] : 0), 0);
  const [sectors, least] = [sum('global', 'units'), sum('global', 'least')];
  const [passes, fewest] = [sum('shared', 'units'), sum('shared', 'least')];
  const divergent = branches.filter(branch => branch.divergent > 0).length;
  const cover =
    blocks < volumeOf(grid) ? `Figures of ${blocks} of ${formatCounted(volumeOf(grid), 'block')}` : '';
  return [
    faults.length === 0 ? 'No faults' : formatCounted(faults.length, 'fault'),
    sectors === 0
      ? ''
      : `${formatCounted(sectors, 'sector')} of ${SECTOR} bytes, ${percent(least, sectors)} used`,
    passes === 0
      ? ''
      : `Bank conflicts: ${passes === fewest ? 'none' : `${passes} passes over ${BANKS} banks, ${fewest} would do`}`,
    branches.length === 0 ? '' : `Divergent branches: ${divergent} of ${branches.length}`,
    cover,
    complete ? '' : 'The record was too long: later accesses are not in the figures',
    ...(gpu === null ? [] : gpuTexts(gpu, faults.length > 0))
  ].filter(Boolean);
}

/** Describes how fast the launch is on its GPU, and what it needs there. */
function gpuTexts(
  { time, bytes, registers, localBytes, activeThreads }: NonNullable<LaunchPicture['gpu']>,
  faulty: boolean
): string[] {
  const rate = time === null || bytes === 0 ? '' : `, ${formatRate(bytes, time)} of array data`;
  return [
    time === null
      ? `Not timed, because it ${faulty ? 'has faults' : 'prints'}`
      : `${formatDuration(time)} on the GPU${rate}`,
    `${formatCounted(registers, 'register')}, ${localBytes} bytes of local memory, ${activeThreads} threads on a multiprocessor`
  ];
}

/** Formats bytes per microseconds as `1,234 GB/s`. */
const formatRate = (bytes: number, time: number): string =>
  `${Number((bytes / time / 1000).toPrecision(4)).toLocaleString('en')} GB/s`;
