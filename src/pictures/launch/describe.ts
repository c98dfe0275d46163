/** Describes a recorded launch as plain JSON, for the live and the static picture. Pure. */

import type { Extent } from '../../jit/launch-shape.ts';
import type { LaunchOnGpu } from '../../kernels/launch/on-gpu.ts';
import type { RecordedArray, RecordedLaunch } from '../../kernels/launch/recorded.ts';
import type { Program } from '../../kernels/program/program.ts';
import { ELEMENTS } from '../../kernels/program/types.ts';
import { sizeOf } from '../../layout/shape.ts';
import { accessedArray, costOf, lanesOf } from './memory.ts';
import { Rows } from './rows.ts';
import {
  LAUNCH_PICTURE_VERSION,
  type AccessSite,
  type BranchSite,
  type LaunchArray,
  type LaunchPicture,
  type Triple,
  type WarpAccess
} from './schema.ts';

/** So many accesses are described in detail, because pictures are saved with notebooks. */
const MOST_ACCESSES = 256;
const KINDS = ['read', 'write', 'atomic'] as const;
const BRANCH = 3;

/** Describes a launch. */
export function describeLaunch({ facts }: Pick<RecordedLaunch, 'facts'>): LaunchPicture {
  const { sources, program, device, shape, arrays, check, record, gpu } = facts;
  const grid = tripleOf(shape.grid);
  const rows = new Rows(sources);
  const described = describeArrays(program, arrays);
  const { sites, branches } = readRecord(record, described, (line, file) =>
    rows.of(line, program.files[file]!.name)
  );
  return {
    version: LAUNCH_PICTURE_VERSION,
    kernel: program.name,
    file: sources[0]!.file,
    device: device.label,
    simulated: device.simulated,
    grid,
    block: tripleOf(shape.block),
    blocks: Math.min(record.blocks, grid[0] * grid[1] * grid[2]),
    complete: record.complete,
    rows: rows.all,
    arrays: described,
    sites,
    branches,
    faults: check.faults.map(({ file, line, kind, message }) => ({
      row: rows.of(line, file),
      kind,
      message
    })),
    gpu: gpu === null ? null : describeGpu(gpu, sites, arrays, described)
  };
}

function tripleOf(extent: Extent): Triple {
  const [x, y = 1, z = 1] = typeof extent === 'number' ? [extent] : extent;
  return [x, y, z];
}

/** Returns the arrays in the order of a record: parameters, then memories. Numbers keep a place, so that indices fit. */
function describeArrays(program: Program, arrays: readonly (RecordedArray | null)[]): LaunchArray[] {
  const parameters = program.parameters.map((parameter, index): LaunchArray => {
    const { shape, base } = arrays[index] ?? { shape: [], base: 0 };
    const element = parameter.kind === 'array' ? parameter.element : parameter.type;
    const isPlain = parameter.kind === 'array' && parameter.contiguous;
    const { bytes } = ELEMENTS[element];
    return { name: parameter.name, space: 'global', element, bytes, shape: isPlain ? shape : null, base };
  });
  const memories = program.memories.map(({ name, element, shape }): LaunchArray => {
    const { bytes } = ELEMENTS[element];
    return { name, space: 'shared', element, bytes, shape, base: 0 };
  });
  return [...parameters, ...memories];
}

function describeGpu(
  { attributes: { registers, sharedBytes, localBytes }, occupancy, time }: LaunchOnGpu,
  sites: readonly AccessSite[],
  shapes: readonly (RecordedArray | null)[],
  arrays: readonly LaunchArray[]
): LaunchPicture['gpu'] {
  const bytesOf = (index: number): number => {
    const shape = shapes[index]?.shape;
    return shape === undefined ? 0 : arrays[index]!.bytes * sizeOf(shape);
  };
  // An array counts once for what reads it, and once for what writes it.
  const uses = new Set(
    sites.flatMap(({ kind, array }) =>
      (kind === 'atomic' ? ['read', 'write'] : [kind]).map(way => `${array} ${way}`)
    )
  );
  const bytes = [...uses].reduce((sum, use) => sum + bytesOf(Number.parseInt(use, 10)), 0);
  return { registers, sharedBytes, localBytes, ...occupancy, time, bytes };
}

type Site = { -readonly [Field in keyof AccessSite]: AccessSite[Field] } & {
  /** How often each warp came. */
  readonly turns: Map<string, number>;
  readonly accesses: WarpAccess[];
};

interface Branch {
  readonly row: number;
  readonly column: number;
  /** Whether each warp diverged. */
  readonly warps: Map<string, boolean>;
}

type Record = RecordedLaunch['facts']['record'];

function readRecord(
  { places, words }: Record,
  arrays: readonly LaunchArray[],
  rowOf: (line: number, file: number) => number
): { sites: AccessSite[]; branches: BranchSite[] } {
  const sites = new Map<string, Site>();
  const branches = new Map<number, Branch>();
  for (let at = 0; at < words.length;) {
    const [kind, place, block, warp, lanes] = words.slice(at, at + 5) as [
      number,
      number,
      number,
      number,
      number
    ];
    const { line, column, file } = places[place]!;
    const name = `${block} ${warp}`;
    const row = rowOf(line, file);
    if (kind === BRANCH) {
      const branch = branches.get(place) ?? { row, column, warps: new Map<string, boolean>() };
      const into = words[at + 5]!;
      branches.set(place, branch);
      branch.warps.set(name, branch.warps.get(name) === true || (into !== 0 && into !== lanes));
      at += 6;
      continue;
    }
    const array = words[at + 5]!;
    const active = lanesOf({ lanes });
    const offsets = words.slice(at + 7, at + 7 + active.length);
    const bytes = words[at + 6]!;
    const key = `${place} ${kind} ${array}`;
    const isWide = bytes !== arrays[array]!.bytes;
    const site =
      sites.get(key) ?? newSite({ kind: KINDS[kind]!, row, column, array, ...(isWide && { bytes }) });
    sites.set(key, site);
    const turn = site.turns.get(name) ?? 0;
    site.turns.set(name, turn + 1);
    count(site, accessedArray(arrays[array]!, site), offsets);
    site.accesses.push({ block, warp, turn, lanes, ...shortened(offsets) });
    at += 7 + active.length;
  }
  return {
    sites: inOrder([...sites.values()].map(site => finish(site, sites.size))),
    branches: inOrder(
      [...branches.values()].map(({ row, column, warps }) => {
        const divergent = [...warps.values()].filter(Boolean).length;
        return { row, column, warps: warps.size, divergent };
      })
    )
  };
}

function newSite(where: Pick<AccessSite, 'kind' | 'row' | 'column' | 'array' | 'bytes'>): Site {
  const counts = { warps: 0, runs: 0, lanes: 0, units: 0, least: 0, together: 0 };
  return { ...where, ...counts, turns: new Map(), accesses: [] };
}

function count(site: Site, array: LaunchArray, offsets: readonly number[]): void {
  const { units, least } = costOf(array, offsets);
  site.runs += 1;
  site.lanes += offsets.length;
  site.units += units;
  site.least += least;
  const at = new Map<number, number>();
  for (const offset of offsets) at.set(offset, (at.get(offset) ?? 0) + 1);
  site.together = Math.max(site.together, ...at.values());
}

/** Lists the offsets, or only the first one if the others follow at equal distances. */
function shortened(offsets: readonly number[]): Pick<WarpAccess, 'offsets' | 'step'> {
  const step = offsets[1] === undefined ? 0 : offsets[1] - offsets[0]!;
  const isEven = offsets.every((offset, index) => offset === offsets[0]! + index * step);
  return isEven ? { offsets: offsets.slice(0, 1), step } : { offsets, step: null };
}

/** Keeps a share of the accesses: the first of each warp, then the second ones. */
function finish({ turns, accesses, ...site }: Site, sites: number): AccessSite {
  const most = Math.max(1, Math.floor(MOST_ACCESSES / sites));
  const sorted = accesses.toSorted((one, other) => one.turn - other.turn);
  return { ...site, warps: turns.size, accesses: sorted.slice(0, most) };
}

function inOrder<Site extends { readonly row: number; readonly column: number }>(sites: Site[]): Site[] {
  return sites.sort((one, other) => one.row - other.row || one.column - other.column);
}
