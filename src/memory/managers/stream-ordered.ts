/** What stream-ordered pools have in common (rules 194, 197, 217, 220). */

import type { MemoryInfo } from '../../core/device.ts';
import { native } from '../../native/load.ts';
import { Stream } from '../../core/stream.ts';
import { HostOnlyCUDAMemoryManager } from '../manager/host-only.ts';
import { ipcHandleOf } from '../manager/ipc-export.ts';
import type { IpcHandle } from '../manager/ipc-handle.ts';
import { withRetries } from '../manager/out-of-memory.ts';
import { MemoryPointer } from '../manager/pointer.ts';
import type { MemorySegment } from '../manager/segments.ts';

/**
 * Device memory from a pool of the driver's; host memory as the default manager does it. Memory goes back to the pool when its work
 * is done, inside `deferCleanup` too (rule 197).
 */
export abstract class StreamOrderedMemoryManager extends HostOnlyCUDAMemoryManager {
  static readonly interfaceVersion: number = 2;
  #ownStream: Stream | undefined;

  /** Address of so many bytes, above 0, usable on the stream. @throws DriverError */
  protected abstract allocateOn(size: number, stream: Stream): bigint;
  /** Bytes that the pool holds of the device, in use or not. @throws DriverError */
  protected abstract reserved(): number;
  /** Gives what the pool holds beyond so many bytes back to the device. */
  protected abstract trimPool(keep: number): void;

  /** Told of each block; what it returns is called before the block goes back. */
  protected noteBlock(_pointer: bigint, _size: number): () => void {
    return () => {};
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
    const pointer = withRetries(
      context,
      size,
      () => this.trim(),
      () => this.allocateOn(size, stream)
    );
    const forget = this.noteBlock(pointer, size);
    const finalizer = this.allocations.add(
      () => {
        forget();
        const order = stream.destroyed ? this.#stream : stream;
        native().raw.memFreeAsync(context.native, pointer, order.native);
      },
      free => free(),
      { pointer, bytes: size }
    );
    const memory = new MemoryPointer(context, pointer, size, null, finalizer);
    memory.ready = stream;
    return memory;
  }

  /** Explains, as the driver would only say "invalid value". @throws IpcError */
  override getIpcHandle(memory: MemoryPointer): IpcHandle {
    return ipcHandleOf(memory);
  }

  /** As the driver counts: what the pool keeps is not free. */
  override getMemoryInfo(): MemoryInfo {
    return this.context.memoryInfo();
  }

  /** The pool, without addresses of what is free in it. */
  override segments(): readonly MemorySegment[] {
    const blocks = this.allocations.blocks().map(block => ({ ...block, state: 'used' as const }));
    const used = blocks.reduce((sum, { bytes }) => sum + bytes, 0);
    return [{ kind: 'pool', pointer: null, bytes: Math.max(this.reserved(), used), blocks }];
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
    this.trimPool(keep);
  }

  get #stream(): Stream {
    this.#ownStream ??= new Stream({ device: this.context });
    return this.#ownStream;
  }
}
