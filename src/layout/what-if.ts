/** Computes the layout after a transpose, a slice, a reshape or a broadcast, without an array. Pure. */

import { ShapeError } from '../base/errors.ts';
import type { Layout } from './byte-map.ts';
import { broadcastView, sliceView, transposeView, type SliceArgument, type View } from './slice.ts';
import { reshapedLengths, reshapedStrides } from './strides.ts';

export type StepKind = 'transpose' | 'slice' | 'reshape' | 'broadcastTo';

/** One operation on a layout, with the arguments of the array's method. */
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

/** Parses one part of a slice: an index drops its axis; an empty part takes the whole axis. */
function toSliceArgument(part: string): SliceArgument {
  const text = part.trim();
  if (text === '' || text === ':') return null;
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

/** Parses typed text: whole numbers, or parts of a slice (`:`, `2`, `1:5:2`), separated by commas. @throws ShapeError */
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

/** Returns the layout of the view. @throws ShapeError, IndexError with the message of the array's method */
export function applyStep(layout: Layout, step: LayoutStep): Layout {
  const { shape, strides, offset } = viewOf(layout, step);
  return { shape, strides, offset: layout.offset + offset, itemsize: layout.itemsize };
}

/** Formats a step as TypeScript: `.slice(null, "::-2")`. */
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
