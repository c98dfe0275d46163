/** Draws an access of a warp below its row of lanes: the cache lines and sectors, or the banks with the words that they must serve. */

import {
  BANKS,
  bankWords,
  lanesOf,
  offsetsOf,
  SECTOR,
  sectorOf,
  WARP,
  wordsOf
} from '../../../../src/pictures/launch/memory.ts';
import type { LaunchArray, WarpAccess } from '../../../../src/pictures/launch/schema.ts';
import { setAttribute, svg } from '../kit/dom.ts';

/** Coordinates of the drawing, which is scaled to the available width. */
const WIDTH = 640;
const LANE = WIDTH / WARP;
/** Where the lanes' lines end, and the memory begins. */
const TOP = 90;
const GAP = 4;
const SECTORS_IN_LINE = 4;
const LINE = SECTORS_IN_LINE * SECTOR;
/** More cache lines have no room for labels. */
const MOST_LABELS = 6;

/** The memory of an access: its shapes, and where each lane's line ends. */
interface Memory {
  readonly shapes: readonly SVGElement[];
  readonly height: number;
  endOf(offset: number): number;
}

/** Draws the access. `mark` emphasizes a lane's line; -1 none. */
export function drawAccess(
  array: LaunchArray,
  access: WarpAccess
): { readonly element: SVGElement; mark(lane: number): void } {
  const offsets = offsetsOf(access);
  const lanes = lanesOf(access);
  const groups = new Map(
    offsets.map((offset, index) => [offset, lanes[index]! >> 3]).toReversed() as [number, number][]
  );
  const { shapes, height, endOf } =
    array.space === 'shared' ? drawBanks(array, offsets, groups) : drawSectors(array, offsets, groups);
  const paths = new Map(
    lanes.map((lane, index) => {
      const [from, to] = [(lane + 0.5) * LANE, endOf(offsets[index]!)].map(x => x.toFixed(1));
      return [
        lane,
        svg('path', { d: `M${from} 0C${from} 45 ${to} 45 ${to} ${TOP - 14}V${TOP}`, 'data-group': lane >> 3 })
      ];
    })
  );
  // The rows above and the table say the same in words.
  const root = svg(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${height}`, 'aria-hidden': 'true' },
    ...shapes,
    ...paths.values()
  );
  return {
    element: root,
    mark(marked) {
      setAttribute(root, 'data-marked', paths.has(marked) ? '' : null);
      for (const [lane, path] of paths) setAttribute(path, 'data-marked', lane === marked ? '' : null);
    }
  };
}

type Groups = ReadonlyMap<number, number>;

/** Draws the cache lines with their sectors, and the elements in them. */
function drawSectors(array: LaunchArray, offsets: readonly number[], groups: Groups): Memory {
  const sectors = new Set(offsets.map(offset => sectorOf(array, offset)));
  const lines = [...new Set([...sectors].map(sector => Math.floor(sector / SECTORS_IN_LINE)))].sort(
    (one, other) => one - other
  );
  const width = Math.max(1, (WIDTH - GAP * (lines.length - 1)) / lines.length);
  const scale = width / LINE;
  const xOf = (offset: number): number => {
    const line = Math.floor((array.base + offset) / LINE);
    return lines.indexOf(line) * (width + GAP) + (array.base + offset - line * LINE) * scale;
  };
  const boxes = lines.flatMap((line, index) =>
    Array.from({ length: SECTORS_IN_LINE }, (_, number) => {
      const isTouched = sectors.has(line * SECTORS_IN_LINE + number);
      const x = index * (width + GAP) + number * SECTOR * scale;
      return svg('rect', {
        class: 'stridelab-sector',
        x,
        y: TOP,
        width: SECTOR * scale,
        height: 26,
        ...(isTouched && { 'data-touched': '' })
      });
    })
  );
  const elements = [...groups].map(([offset, group]) =>
    svg('rect', {
      x: xOf(offset),
      y: TOP + 5,
      width: Math.max(2, array.bytes * scale),
      height: 16,
      'data-group': group
    })
  );
  const labels = lines.map((line, index) =>
    svg('text', { x: index * (width + GAP), y: TOP + 40 }, `byte ${line * LINE - array.base}`)
  );
  const endOf = (offset: number): number => xOf(offset) + (array.bytes * scale) / 2;
  return {
    shapes: [...boxes, ...elements, ...(lines.length > MOST_LABELS ? [] : labels)],
    height: TOP + 46,
    endOf
  };
}

/** Draws the banks, each with the distinct words that it must serve one after the other. */
function drawBanks(array: LaunchArray, offsets: readonly number[], groups: Groups): Memory {
  const banks = bankWords(array, offsets);
  const most = Math.max(...banks.map(words => words.length));
  const step = most > 8 ? 7 : 14;
  const owners = new Map(
    [...groups].flatMap(([offset, group]) =>
      wordsOf(array, offset).map((word): [number, number] => [word, group])
    )
  );
  const bottom = TOP + 4 + most * step;
  const words = banks.flatMap((each, bank) =>
    each.map((word, index) =>
      svg('rect', {
        x: bank * LANE + 1,
        y: TOP + 2 + index * step,
        width: LANE - 2,
        height: step - 1,
        'data-group': owners.get(word)!
      })
    )
  );
  const columns = banks.map((_, bank) =>
    svg('rect', {
      class: 'stridelab-sector',
      x: bank * LANE,
      y: TOP,
      width: LANE,
      height: bottom - TOP,
      ...(banks[bank]!.length > 0 && { 'data-touched': '' })
    })
  );
  const numbers = banks.map((_, bank) =>
    svg('text', { x: (bank + 0.5) * LANE, y: bottom + 13, 'text-anchor': 'middle' }, String(bank))
  );
  const endOf = (offset: number): number => ((wordsOf(array, offset)[0]! % BANKS) + 0.5) * LANE;
  return { shapes: [...columns, ...words, ...numbers], height: bottom + 18, endOf };
}
