/** Selects the elements of an array to print: all of a small one, the ends of each axis of a large one. Pure. */

import type { Shape } from '../../layout/shape.ts';

/** Number of elements above which only the ends are printed, and how many at each end, as in NumPy. */
const MOST_ELEMENTS = 1_000;
const EDGE_ITEMS = 3;

/** Shown elements of one axis: `head` from its start and `tail` from its end, with `...` between if some are omitted. */
export interface Edges {
  readonly length: number;
  readonly head: number;
  readonly tail: number;
}

export const shownOf = ({ head, tail }: Edges): number => head + tail;
export const isCut = (edges: Edges): boolean => shownOf(edges) < edges.length;
export const countShown = (axes: readonly Edges[]): number =>
  axes.reduce((count, edges) => count * shownOf(edges), 1);

const whole = (length: number): Edges => ({ length, head: length, tail: 0 });

function ends(length: number, items: number): Edges {
  return length <= 2 * items ? whole(length) : { length, head: items, tail: items };
}

/** Selects the shown elements of each axis; `most` limits their number. */
export function edgesOf(shape: Shape, most = MOST_ELEMENTS): Edges[] {
  const fits = (axes: readonly Edges[]): boolean => countShown(axes) <= Math.min(most, MOST_ELEMENTS);
  const all = shape.map(whole);
  const cut = shape.map(length => ends(length, EDGE_ITEMS));
  return fits(all) ? all : until(cut, fits);
}

/** Items at each end of an outer axis, in the order tried; 0 means only the first item. */
const FEWER = [EDGE_ITEMS, 2, 1, 0];
/** Items at each end of the last axis, a line of text, in the order tried. */
const FEWER_IN_LINE = [EDGE_ITEMS, 2];

/** Reduces the elements of the outer axes, then of the inner ones, until `fits`; only the first element if nothing does. */
export function until(start: readonly Edges[], fits: (axes: readonly Edges[]) => boolean): Edges[] {
  const last = start.length - 1;
  const inLine = (axes: readonly Edges[]): Edges[] | undefined =>
    [axes, ...FEWER_IN_LINE.map(items => shorter(axes, last, items))].find(fits) as Edges[] | undefined;
  let axes: readonly Edges[] = start;
  const found = inLine(axes);
  if (found !== undefined) return found;
  for (const items of FEWER) {
    for (let axis = 0; axis < last; axis++) {
      axes = shorter(axes, axis, items);
      const fitting = inLine(axes);
      if (fitting !== undefined) return fitting;
    }
  }
  const least = shorter(axes, last, 1);
  return fits(least) ? least : shorter(axes, last, 0);
}

function shorter(axes: readonly Edges[], axis: number, items: number): Edges[] {
  const { length } = axes[axis]!;
  const fewer = items === 0 ? { length, head: 1, tail: 0 } : ends(length, items);
  return shownOf(axes[axis]!) <= shownOf(fewer) ? [...axes] : axes.with(axis, fewer);
}
