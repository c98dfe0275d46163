/** Arrays that another process opens, and arrays over memory of another process. */

import { NDArray } from '../array/array.ts';
import type { DType, DTypeLike, DTypeName, NameOf } from '../dtype/dtype.ts';
import { toDType } from '../dtype/resolve.ts';
import { IpcError } from '../base/errors.ts';
import { toShape, type ShapeLike } from '../layout/shape.ts';
import { extentOf, rowMajorStrides, type Strides } from '../layout/strides.ts';
import { Stream } from '../core/stream.ts';
import type { IpcHandle } from '../memory/manager/ipc-handle.ts';
import { MemoryPointer } from '../memory/manager/pointer.ts';
import { currentManager } from '../memory/registry.ts';
import { Storage } from '../memory/storage.ts';

/** How the memory of an IPC handle becomes an array. */
export interface IpcArrayOptions<L extends DTypeLike = DTypeLike> {
  /** The lengths of the axes. */
  readonly shape: ShapeLike;
  /** The element type. */
  readonly dtype: L;
  /** Byte strides; row-major if left out. The handle's first byte is the first logical element. */
  readonly strides?: Strides | null | undefined;
  /** The stream that work runs on; the legacy default stream of the memory's device if left out. */
  readonly stream?: Stream | undefined;
}

/**
 * Returns a handle with which another process opens memory, or the elements of an array (rule 188: the handle has the offset inside its
 * allocation). Send shape, strides and dtype along. The memory must live, and its pending work must be done, while the other process uses
 * it.
 * @throws IpcError with the reason if it cannot be shared (rule 194), and for an array with negative strides
 */
export function getIpcHandle(source: MemoryPointer | NDArray): IpcHandle {
  const memory = source instanceof NDArray ? elementsOf(source) : source;
  return currentManager(memory.context).getIpcHandle(memory);
}

function elementsOf(array: NDArray): MemoryPointer {
  const { storage } = array;
  if (storage.kind !== 'device')
    throw new IpcError(
      `${storage.kind} memory cannot be shared by IPC handle: only device memory can (rule 194: the reason)`
    );
  const { start, end } = extentOf(array.shape, array.strides, array.dtype.itemsize);
  if (start < 0)
    throw new IpcError(
      'the array has negative strides, and an IPC handle starts at the first element: share the array without them'
    );
  return new MemoryPointer(array.device, array.pointer, end, array);
}

/**
 * Opens an IPC handle as an array, which unmaps the memory after it is disposed and its work is done. The exporting process must have
 * finished its work on the memory.
 * @throws IpcError as `IpcHandle.open` does, and for strides that leave the memory; then the handle is closed (rule 195)
 */
export function openIpcArray<L extends DTypeLike = DTypeName>(
  handle: IpcHandle,
  options: IpcArrayOptions<L>
): NDArray<NameOf<L>> {
  const dtype = toDType(options.dtype) as DType<NameOf<L>>;
  const shape = toShape(options.shape);
  const strides = options.strides ?? rowMajorStrides(shape, dtype.itemsize);
  if (strides.length !== shape.length)
    throw new IpcError(
      `${strides.length} strides for ${shape.length} axes, expected one for each axis (rule 195: extent)`
    );
  const { start, end } = extentOf(shape, strides, dtype.itemsize);
  if (start < 0 || end > handle.size)
    throw new IpcError(
      `bytes ${start} to ${end} of this shape and these strides are not inside memory of ${handle.size} bytes (rule 195: extent)`
    );
  const storage = Storage.over(handle.open(), 'another process');
  try {
    const stream = options.stream ?? Stream.legacyDefault(storage.device);
    return new NDArray(storage, dtype, { shape, strides, offset: 0 }, stream);
  } catch (error) {
    storage.release();
    throw error;
  }
}
