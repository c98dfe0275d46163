/** A stream-ordered pool whose memory other processes can open (rules 194, 217). */

import { randomUUID } from 'node:crypto';

import type { Device } from '../../core/device.ts';
import { DriverError, MemoryManagerError } from '../../base/errors.ts';
import { native } from '../../native/load.ts';
import type { Stream } from '../../core/stream.ts';
import { noteShareable } from '../manager/shareable.ts';
import { StreamOrderedMemoryManager } from './stream-ordered.ts';

/**
 * Allocates device memory with `cuMemAllocFromPoolAsync` from its own pool, which can be exported as a POSIX file descriptor. `share`
 * passes its arrays on as 'pool': other processes see each array, not its neighbours.
 */
export class IpcPoolMemoryManager extends StreamOrderedMemoryManager {
  readonly #pool: bigint;
  /** Identifies the pool in all processes, because handles and process ids are reused. */
  readonly #name = randomUUID();

  /** @throws MemoryManagerError if the device has no such pools */
  constructor(context: Device) {
    super(context);
    this.#pool = makePool(context);
  }

  protected override allocateOn(size: number, stream: Stream): bigint {
    return native().sharing.poolAllocate(this.context.native, this.#pool, size, stream.native);
  }

  protected override reserved(): number {
    return native().sharing.poolReserved(this.context.native, this.#pool);
  }

  protected override trimPool(keep: number): void {
    native().sharing.poolTrim(this.context.native, this.#pool, keep);
  }

  protected override noteBlock(pointer: bigint, bytes: number): () => void {
    const { context } = this;
    const { sharing, channels } = native();
    return noteShareable({
      way: 'pool',
      device: context,
      pointer,
      bytes,
      export: () => {
        // The driver exports pointers of a pool only once the pool itself was exported.
        const descriptor = sharing.poolExport(context.native, this.#pool);
        try {
          const data = Buffer.from(sharing.poolExportPointer(context.native, pointer)).toString('base64');
          return { fields: { pool: this.#name, data }, descriptor };
        } catch (error) {
          channels.closeDescriptor(descriptor);
          throw error;
        }
      }
    });
  }
}

function makePool(context: Device): bigint {
  try {
    return native().sharing.poolCreate(context.native);
  } catch (cause) {
    if (!(cause instanceof DriverError)) throw cause;
    throw new MemoryManagerError(
      `${context.toString()} has no pools that can be exported as POSIX descriptors: ${cause.message}. Use the default manager ` +
        '(legacy handles) or VirtualMemoryManager (vmm)',
      { cause }
    );
  }
}

export { IpcPoolMemoryManager as _stridelab_memory_manager };
