/** A stream-ordered pool whose memory other processes can open (rules 194, 217). */

import { randomUUID } from 'node:crypto';

import type { Device, MemoryInfo } from '../../device.ts';
import { DriverError, MemoryManagerError } from '../../errors.ts';
import { native } from '../../native/load.ts';
import { Stream } from '../../stream.ts';
import { HostOnlyCUDAMemoryManager } from '../manager/host-only.ts';
import { ipcHandleOf } from '../manager/ipc-export.ts';
import type { IpcHandle } from '../manager/ipc-handle.ts';
import { withRetries } from '../manager/out-of-memory.ts';
import { MemoryPointer } from '../manager/pointer.ts';
import { noteShareable } from '../manager/shareable.ts';

/**
 * Device memory by `cuMemAllocFromPoolAsync` from a pool of its own, which can be exported as a POSIX descriptor; host memory as the
 * default manager does it. `share` passes arrays of it on as 'pool': the others see each array alone, not its neighbours. Memory goes
 * back to the pool when its work is done, inside `deferCleanup` too (rule 197).
 */
export class IpcPoolMemoryManager extends HostOnlyCUDAMemoryManager {
  static readonly interfaceVersion: number = 2;
  readonly #pool: bigint;
  /** What the pool is called everywhere: numbers of pools and processes are used again. */
  readonly #name = randomUUID();
  #ownStream: Stream | undefined;

  /** @throws MemoryManagerError where the device has no such pools */
  constructor(context: Device) {
    super(context);
    this.#pool = makePool(context);
  }

  override memalloc(size: number): MemoryPointer {
    const stream = this.#stream;
    const memory = this.memallocAsync(size, stream);
    // Whoever calls this knows of no stream to wait for.
    stream.synchronize();
    memory.ready = null;
    return memory;
  }

  override memallocAsync(size: number, stream: Stream): MemoryPointer {
    const { context } = this;
    if (size === 0) return new MemoryPointer(context, 0n, 0);
    const { raw, sharing } = native();
    const pointer = withRetries(
      context,
      size,
      () => this.trim(),
      () => sharing.poolAllocate(context.native, this.#pool, size, stream.native)
    );
    const forget = noteShareable({
      way: 'pool',
      device: context,
      pointer,
      bytes: size,
      export: () => {
        // The driver exports pointers of a pool only once the pool itself was exported.
        const descriptor = sharing.poolExport(context.native, this.#pool);
        try {
          const data = Buffer.from(sharing.poolExportPointer(context.native, pointer)).toString('base64');
          return { fields: { pool: this.#name, data }, descriptor };
        } catch (error) {
          native().channels.closeDescriptor(descriptor);
          throw error;
        }
      }
    });
    const finalizer = this.allocations.add(
      () => {
        forget();
        const order = stream.destroyed ? this.#stream : stream;
        raw.memFreeAsync(context.native, pointer, order.native);
      },
      free => free()
    );
    const memory = new MemoryPointer(context, pointer, size, null, finalizer);
    memory.ready = stream;
    return memory;
  }

  /** Explains, as the driver would only say "invalid value": `share` passes this memory on. @throws IpcError */
  override getIpcHandle(memory: MemoryPointer): IpcHandle {
    return ipcHandleOf(memory);
  }

  /** As the driver counts: what the pool keeps is not free. */
  override getMemoryInfo(): MemoryInfo {
    return this.context.memoryInfo();
  }

  override reset(): void {
    super.reset();
    this.trim();
  }

  override giveBack(): void {
    this.trim();
  }

  /** Gives what the pool holds beyond `keep` bytes back to the device. */
  trim(keep = 0): void {
    this.deallocations.flush();
    native().sharing.poolTrim(this.context.native, this.#pool, keep);
  }

  get #stream(): Stream {
    this.#ownStream ??= new Stream({ device: this.context });
    return this.#ownStream;
  }
}

function makePool(context: Device): bigint {
  try {
    return native().sharing.poolCreate(context.native);
  } catch (cause) {
    if (!(cause instanceof DriverError)) throw cause;
    throw new MemoryManagerError(
      `${context.toString()} has no pools that can be exported as POSIX descriptors: ${cause.message}. Under the default manager ` +
        "`share` uses legacy handles, under VirtualMemoryManager 'vmm'",
      { cause }
    );
  }
}

export { IpcPoolMemoryManager as _stridelab_memory_manager };
