/** Which elements of a strided array lie in a window of its memory. Pure. */

import type { Shape } from './shape.ts';
import type { Strides } from './strides.ts';

export interface WindowElement {
  readonly index: readonly number[];
  /** Bytes from the start of the memory. */
  readonly offset: number;
}

/**
 * Elements of which a byte lies in [start, end), by offset. `first` is the offset of element [0, …]. An axis of stride 0 repeats its
 * elements: only index 0 is told. At most `most` elements, the rest is left out.
 */
export function elementsInWindow(
  layout: {
    readonly shape: Shape;
    readonly strides: Strides;
    readonly itemsize: number;
    readonly first: number;
  },
  start: number,
  end: number,
  most: number
): WindowElement[] {
  const { shape, strides, itemsize, first } = layout;
  if (shape.includes(0)) return [];
  // The widest axis first, so that the others only move little around what it decides.
  const axes = shape
    .map((_, axis) => axis)
    .sort((a, b) => Math.abs(strides[b] as number) - Math.abs(strides[a] as number));
  const reach = axes.map(axis => ((shape[axis] as number) - 1) * (strides[axis] as number));
  // What the axes from each level on may add at least and at most.
  const below = axes.map((_, level) => reach.slice(level).reduce((sum, each) => sum + Math.min(each, 0), 0));
  const above = axes.map((_, level) => reach.slice(level).reduce((sum, each) => sum + Math.max(each, 0), 0));
  const found: WindowElement[] = [];
  const index = new Array<number>(shape.length).fill(0);
  const visit = (level: number, offset: number): void => {
    if (found.length >= most) return;
    const axis = axes[level];
    if (axis === undefined) {
      if (offset < end && offset + itemsize > start) found.push({ index: [...index], offset });
      return;
    }
    const stride = strides[axis] as number;
    const last = stride === 0 ? 0 : (shape[axis] as number) - 1;
    const [lowest, highest] = [below[level + 1] ?? 0, above[level + 1] ?? 0];
    // offset + i * stride must lie in (start - itemsize - highest, end - lowest).
    const bounds = [(start - itemsize - highest - offset) / stride, (end - lowest - offset) / stride];
    const from = stride === 0 ? 0 : Math.max(0, Math.floor(Math.min(...bounds)));
    const to = stride === 0 ? 0 : Math.min(last, Math.ceil(Math.max(...bounds)));
    for (let at = from; at <= to; at++) {
      index[axis] = at;
      visit(level + 1, offset + at * stride);
    }
    index[axis] = 0;
  };
  visit(0, first);
  return found.sort((a, b) => a.offset - b.offset);
}
