/** Copies elements between two strided byte layouts on the host. Pure. */

import type { Shape } from './shape.ts';
import type { Strides } from './strides.ts';

/** Bytes laid out by strides; `first` is the byte of the first logical element. */
export interface StridedBytes {
  readonly bytes: Uint8Array;
  readonly first: number;
  readonly strides: Strides;
}

/** Runs up to this many bytes are copied one by one: `set` with `subarray` costs more than it saves. */
const SHORT_RUN = 16;

/** Copies every element of `source` to the same index of `target`; both have `shape` and `itemsize`. */
export function copyStrided(
  shape: Shape,
  itemsize: number,
  source: StridedBytes,
  target: StridedBytes
): void {
  if (shape.includes(0)) return;
  const last = shape.length - 1;
  const count = shape[last] ?? 1;
  const fromStep = source.strides[last] ?? itemsize;
  const toStep = target.strides[last] ?? itemsize;
  const compact = fromStep === itemsize && toStep === itemsize;
  const outer = shape.slice(0, -1);
  const index = new Array<number>(outer.length).fill(0);
  let from = source.first;
  let to = target.first;
  for (;;) {
    if (compact) {
      copyRun(source.bytes, from, target.bytes, to, count * itemsize);
    } else {
      for (let i = 0; i < count; i++)
        copyRun(source.bytes, from + i * fromStep, target.bytes, to + i * toStep, itemsize);
    }
    let axis = outer.length - 1;
    for (; axis >= 0; axis--) {
      const at = index[axis]!;
      // Steps are taken only where there is an element: the stride of an axis of length 1 may be any number (rule 21).
      if (at + 1 < outer[axis]!) {
        from += source.strides[axis]!;
        to += target.strides[axis]!;
        index[axis] = at + 1;
        break;
      }
      from -= at * source.strides[axis]!;
      to -= at * target.strides[axis]!;
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

function copyRun(source: Uint8Array, from: number, target: Uint8Array, to: number, bytes: number): void {
  if (bytes > SHORT_RUN) target.set(source.subarray(from, from + bytes), to);
  else for (let i = 0; i < bytes; i++) target[to + i] = source[from + i]!;
}
