/** Functions that the exchange table calls to make arrays: from capsules, from array structs, and over new memory (rule 175). */

import { NDArray } from '../../array/array.ts';
import { dtypeFromDlpack } from '../../dtype/dlpack.ts';
import { parseTypestr } from '../../dtype/resolve.ts';
import { BufferError } from '../../base/errors.ts';
import { sizeOf, toShape } from '../../layout/shape.ts';
import { rowMajorStrides } from '../../layout/strides.ts';
import { Storage } from '../../memory/storage.ts';
import { Stream } from '../../core/stream.ts';
import type { DLPackCapsule } from '../../protocols/capsule.ts';
import { formatDlpackDevice } from '../../protocols/dlpack-device.ts';
import { importExchanged } from './import.ts';
import { DLPACK_VERSION } from '../../protocols/dlpack.ts';
import { deviceFor, memoryKind } from './targets.ts';

/**
 * Makes the array of a binary array struct. The capsule, made by native code, holds bytes, with one more axis for those of an element,
 * so that strides need not be multiples of the element size. `bits` 0 means that the typestr alone names the dtype.
 * @throws BufferError, DTypeError
 */
export function adoptArray(
  capsule: object,
  typestr: string | null,
  code: number,
  bits: number,
  lanes: number
): NDArray {
  using raw = importExchanged(capsule);
  const dtype = bits > 0 ? dtypeFromDlpack({ code, bits, lanes }) : parseTypestr(typestr ?? '');
  if (raw.shape.at(-1) !== dtype.itemsize)
    throw new BufferError(
      `array struct: elements have ${raw.shape.at(-1)} bytes, expected ${dtype.itemsize} for ${dtype.name}`
    );
  const view = {
    shape: Object.freeze(raw.shape.slice(0, -1)),
    strides: Object.freeze(raw.strides.slice(0, -1)),
    offset: raw.offset
  };
  return new NDArray(raw.storage.retain(), dtype, view, raw.stream, raw.readOnly);
}

/** Makes a capsule over new memory, ready for the legacy default stream. @throws BufferError, DTypeError, OutOfMemoryError */
export function allocateForExchange(
  type: number,
  id: number,
  code: number,
  bits: number,
  lanes: number,
  ...dimensions: number[]
): DLPackCapsule {
  const dtype = dtypeFromDlpack({ code, bits, lanes });
  const shape = toShape(dimensions);
  const kind = memoryKind(type);
  if (kind === null) throw new BufferError(`cannot allocate memory on ${formatDlpackDevice([type, id])}`);
  const stream = Stream.legacyDefault(deviceFor([type, id]));
  const storage = Storage.allocate(stream.device, sizeOf(shape) * dtype.itemsize, kind, stream);
  const strides = rowMajorStrides(shape, dtype.itemsize);
  using array = new NDArray(storage, dtype, { shape, strides, offset: 0 }, stream);
  return array.__dlpack__({ maxVersion: DLPACK_VERSION });
}
