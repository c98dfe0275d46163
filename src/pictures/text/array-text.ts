/** Prints arrays: the values as NumPy formats them, then a line with dtype, shape, device and size. */

import type { NDArray } from '../../array/array.ts';
import { readScalar } from '../../dtype/elements.ts';
import { hostArrayOver, type Scalar } from '../../dtype/host-array.ts';
import { DeviceLostError, InterruptedError } from '../../base/errors.ts';
import { copyStrided } from '../../layout/copy.ts';
import { sizeOf, type Shape } from '../../layout/shape.ts';
import { rowMajorStrides } from '../../layout/strides.ts';
import { look } from '../../core/look.ts';
import { validity } from '../../array/mask.ts';
import { captureUnderWay } from '../../core/stream.ts';
import { readSparingly } from '../../array/transfer.ts';
import { headline } from '../../array/headline.ts';
import { pendingStreams, requireDevice, streamToLook } from '../kit/streams.ts';
import { affordableElements } from '../kit/look-budget.ts';
import { countShown, edgesOf, type Edges } from './edges.ts';
import { elementTexts, soleText } from './element-texts.ts';
import { nestedText } from './nested-text.ts';
import { waitBriefly } from './wait-briefly.ts';

/** Formats an array in two to ten lines. Copies only the shown elements, for which it waits a few seconds at most. @throws InterruptedError */
export function arrayText(array: NDArray): string {
  const { values, facts } = print(array);
  return [...values, ...facts].join('\n');
}

/** Formats an array inside another value: a line with dtype, shape, device and size, and the values indented below. @throws InterruptedError */
export function innerArrayText(array: NDArray): string {
  const { values, facts } = print(array);
  return [`NDArray ${facts[0]}`, ...[...facts.slice(1), ...values].map(line => `  ${line}`)].join('\n');
}

interface Printed {
  readonly values: readonly string[];
  /** Description of the array, followed by the reason if there are no values. */
  readonly facts: readonly string[];
}

function print(array: NDArray): Printed {
  const title = headline(array);
  if (array.freed) return { values: [], facts: [`${title}, freed`] };
  try {
    return { values: look(() => valuesOf(array)).split('\n'), facts: [title] };
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const what = error instanceof DeviceLostError ? 'lost' : 'values not shown';
    return { values: [], facts: [title, `${what}: ${why}`] };
  }
}

/** Formats the values. @throws Error with the reason if they cannot be read now */
function valuesOf(array: NDArray): string {
  if (array.size === 0) return '[]';
  if (captureUnderWay()) throw new Error('a copy to the host would break the capture in progress');
  const affordable = affordableElements(array);
  if (affordable === 0) throw new Error(`one element has ${array.dtype.itemsize} bytes; item() reads it`);
  requireDevice(array);
  if (streamToLook(array).destroyed) throw new Error('the stream of the array was destroyed');
  const pending = waitBriefly(pendingStreams(array));
  if (pending !== undefined)
    throw new Error(`work on ${pending.toString()} is not done; array.synchronize() waits for it`);
  const axes = edgesOf(array.shape, affordable);
  const elements = readElements(array, axes);
  if (array.ndim === 0) return soleText(elements[0] as Scalar | null, array.dtype);
  return nestedText(elementTexts(elements, array.dtype), axes);
}

/** Reads elements in row-major order; null for masked ones. */
function readElements(array: NDArray, axes: readonly Edges[]): (Scalar | null)[] {
  const { dtype, mask } = array;
  const host = hostArrayOver(dtype, readShown(array, axes));
  const valid = mask === null ? null : validity(mask, readShown(mask, axes));
  return Array.from({ length: countShown(axes) }, (_, at) =>
    valid?.[at] === false ? null : readScalar(host, dtype, at)
  );
}

/** Reads the bytes of the shown elements; the two ends of an axis are separate reads. */
function readShown(array: NDArray, axes: readonly Edges[]): ArrayBuffer {
  const { storage, dtype, strides } = array;
  const stream = streamToLook(array);
  const shown: Shape = axes.map(({ head, tail }) => head + tail);
  const result = new Uint8Array(sizeOf(shown) * dtype.itemsize);
  const targets = rowMajorStrides(shown, dtype.itemsize);
  const read = (axis: number, shape: Shape, offset: number, target: number): void => {
    const edges = axes[axis];
    if (edges === undefined) {
      const { bytes } = readSparingly({ storage, dtype, shape, strides, offset }, stream);
      place(new Uint8Array(bytes), shape, target);
      return;
    }
    const { length, head, tail } = edges;
    read(axis + 1, [...shape, head], offset, target);
    if (tail === 0) return;
    const [from, to] = [strides[axis]!, targets[axis]!];
    read(axis + 1, [...shape, tail], offset + (length - tail) * from, target + head * to);
  };
  const place = (bytes: Uint8Array, shape: Shape, target: number): void => {
    const source = { bytes, first: 0, strides: rowMajorStrides(shape, dtype.itemsize) };
    copyStrided(shape, dtype.itemsize, source, { bytes: result, first: target, strides: targets });
  };
  read(0, [], array.offset, 0);
  return result.buffer;
}
