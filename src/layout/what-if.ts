/** Computes on a layout alone, with the arithmetic of arrays, what a transpose, a slice, a reshape or a broadcast would give. Pure. */

import { ShapeError } from '../base/errors.ts';
import type { Layout } from './byte-map.ts';
import { broadcastView, sliceView, transposeView, type SliceArgument, type View } from './slice.ts';
import { reshapedLengths, reshapedStrides } from './strides.ts';

export type StepKind = 'transpose' | 'slice' | 'reshape' | 'broadcastTo';

/** One operation on a layout, with its arguments as the array's method takes them. */
export type LayoutStep =
  | { readonly kind: 'transpose' | 'reshape' | 'broadcastTo'; readonly numbers: readonly number[] }
  | { readonly kind: 'slice'; readonly arguments: readonly SliceArgument[] };

function toNumbers(text: string): number[] {
  const inner = text.trim().replace(/^[([](.*)[)\]]$/, '$1');
  if (inner.trim() === '') return [];
  return inner
    .replace(/,\s*$/, '')
    .split(',')
    .map(part => {
      if (!/^\s*-?\d+\s*$/.test(part)) throw new ShapeError(`'${part.trim()}' is not a whole number`);
      return Number(part);
    });
}

/** An index drops its axis; an empty part takes all of its axis. */
function toSliceArgument(part: string): SliceArgument {
  const text = part.trim();
  if (text === '' || text === ':') return null;
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

/** Parses what was typed: whole numbers, or parts of a slice (`:`, `2`, `1:5:2`), with commas between. @throws ShapeError */
export function parseStep(kind: StepKind, text: string): LayoutStep {
  return kind === 'slice'
    ? { kind, arguments: text.trim() === '' ? [] : text.split(',').map(toSliceArgument) }
    : { kind, numbers: toNumbers(text) };
}

function viewOf(layout: Layout, step: LayoutStep): View {
  const { shape, strides, itemsize } = layout;
  switch (step.kind) {
    case 'transpose':
      return transposeView(shape, strides, step.numbers);
    case 'slice':
      return sliceView(shape, strides, step.arguments);
    case 'broadcastTo':
      return broadcastView(shape, strides, step.numbers);
    case 'reshape': {
      const target = reshapedLengths(shape, step.numbers);
      return { shape: target, strides: reshapedStrides(shape, strides, target, itemsize), offset: 0 };
    }
  }
}

/** The layout of the view. @throws ShapeError, IndexError in the words of the array's own method */
export function applyStep(layout: Layout, step: LayoutStep): Layout {
  const { shape, strides, offset } = viewOf(layout, step);
  return { shape, strides, offset: layout.offset + offset, itemsize: layout.itemsize };
}

/** As TypeScript: `.slice(null, "::-2")`. */
export function formatStep(step: LayoutStep): string {
  switch (step.kind) {
    case 'slice':
      return `.slice(${step.arguments.map(part => JSON.stringify(part ?? null)).join(', ')})`;
    case 'broadcastTo':
      return `.broadcastTo([${step.numbers.join(', ')}])`;
    default:
      return `.${step.kind}(${step.numbers.join(', ')})`;
  }
}
