/** Host memory that every process of the user can map: page-locked, so that devices read and write it too. */

import { NDArray } from '../array/array.ts';
import { toDevice, type DeviceLike } from '../core/device.ts';
import type { DTypeLike, NameOf, DType } from '../dtype/dtype.ts';
import { toDType } from '../dtype/resolve.ts';
import { sizeOf, toShape, type ShapeLike } from '../layout/shape.ts';
import { rowMajorStrides } from '../layout/strides.ts';
import { MappedMemory } from '../memory/manager/host-memory.ts';
import { currentManager } from '../memory/registry.ts';
import { noteShareable } from '../memory/manager/shareable.ts';
import { Storage } from '../memory/storage.ts';
import { native } from '../native/load.ts';
import { Stream } from '../core/stream.ts';

/**
 * Allocates `size` bytes of zeroed, page-locked host memory that `share` can pass to other processes: a memory file, pinned by the memory
 * manager in force.
 * @throws IpcError, MemoryManagerError, DriverError if the system or the device does not support it
 */
export function sharedHostMemory(size: number, device?: DeviceLike): MappedMemory {
  const context = toDevice(device);
  if (size === 0) return new MappedMemory(context, 0n, 0);
  const { sharing, channels } = native();
  const { pointer: host, descriptor } = sharing.hostAllocate(size);
  const unmap = (): void => {
    sharing.hostUnmap(host, size);
    channels.closeDescriptor(descriptor);
  };
  try {
    const memory = currentManager(context).mempin(null, host, size, true);
    const forget = noteShareable({
      way: 'memfd',
      device: context,
      pointer: memory.pointer,
      bytes: size,
      export: () => ({ fields: { block: size }, descriptor: channels.duplicateDescriptor(descriptor) })
    });
    const free = (): void => {
      forget();
      memory.release();
      unmap();
    };
    return new MappedMemory(context, host, size, memory, free, memory.pointer);
  } catch (error) {
    unmap();
    throw error;
  }
}

/** Options of `emptyShared`. */
export interface SharedArrayOptions<L extends DTypeLike = DTypeLike> {
  /** The element type. Default float32. */
  readonly dtype?: L | undefined;
  /** The stream that work runs on; the legacy default stream of `device` if left out. */
  readonly stream?: Stream | undefined;
  /** The device whose work uses the memory; the stream's device if left out. */
  readonly device?: DeviceLike | undefined;
}

/**
 * Creates a row-major array of zeros in page-locked host memory that `share` can pass to other processes.
 * @throws as `sharedHostMemory` does
 */
export function emptyShared<L extends DTypeLike = 'float32'>(
  shape: ShapeLike,
  options: SharedArrayOptions<L> = {}
): NDArray<NameOf<L>> {
  const dtype = toDType(options.dtype ?? 'float32') as DType<NameOf<L>>;
  const device = options.stream?.device ?? toDevice(options.device);
  const stream = options.stream ?? Stream.legacyDefault(device);
  const dimensions = toShape(shape);
  const bytes = sizeOf(dimensions) * dtype.itemsize;
  const view = { shape: dimensions, strides: rowMajorStrides(dimensions, dtype.itemsize), offset: 0 };
  const storage =
    bytes === 0 ? Storage.allocate(device, 0, 'pinned') : Storage.over(sharedHostMemory(bytes, device));
  return new NDArray(storage, dtype, view, stream);
}
