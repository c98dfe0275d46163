/** Which elements of an array are shown: all of a small one, the ends of each axis of a large one. Pure. */

import type { Shape } from '../../layout/shape.ts';

/** Elements beyond which only the ends are shown, and how many at each end, as NumPy does it. */
const MOST_ELEMENTS = 1_000;
const EDGE_ITEMS = 3;

/** Of one axis: `head` elements from its start and `tail` from its end, with `...` between where some are left out. */
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

/** `most` bounds how many elements are shown. */
export function edgesOf(shape: Shape, most = MOST_ELEMENTS): Edges[] {
  const all = shape.map(whole);
  if (countShown(all) <= Math.min(most, MOST_ELEMENTS)) return all;
  return until(
    shape.map(length => ends(length, EDGE_ITEMS)),
    axes => countShown(axes) <= Math.min(most, MOST_ELEMENTS)
  );
}

/** Items at each end of an outer axis, one after the other; 0 stands for the first item alone. */
const FEWER = [EDGE_ITEMS, 2, 1, 0];
/** Of the last axis, which is a line of text: two at each end say as much as three. */
const FEWER_IN_LINE = [EDGE_ITEMS, 2];

/** Fewer elements of the outer axes, then of the inner ones, until `fits`; the first element alone where nothing does. */
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
  const { length } = axes[axis] as Edges;
  const fewer = items === 0 ? { length, head: 1, tail: 0 } : ends(length, items);
  return shownOf(axes[axis] as Edges) <= shownOf(fewer) ? [...axes] : axes.with(axis, fewer);
}
