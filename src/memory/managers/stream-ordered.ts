/** The base of managers with stream-ordered pools (rules 194, 197, 217, 220). */

import { isLooking, look } from '../../core/look.ts';
import { native } from '../../native/load.ts';
import { Stream } from '../../core/stream.ts';
import { withRetries } from '../manager/out-of-memory.ts';
import { MemoryPointer } from '../manager/pointer.ts';
import type { MemorySegment } from '../manager/segments.ts';
import { DefaultCUDAMemoryManager } from './default.ts';

/**
 * Allocates device memory from a pool of the driver, and host memory like the default manager. Memory returns to the pool when its work
 * is done, even inside `deferCleanup` (rule 197). The driver counts what the pool keeps as used.
 */
export abstract class StreamOrderedMemoryManager extends DefaultCUDAMemoryManager {
  static override readonly interfaceVersion: number = 2;
  #ownStream: Stream | undefined;

  /** Returns the address of `size` bytes, above 0, usable in the order of the stream. @throws DriverError */
  protected abstract allocateOn(size: number, stream: Stream): bigint;
  /** Returns the bytes that the pool holds, in use or not. @throws DriverError */
  protected abstract reserved(): number;
  /** Frees what the pool holds beyond `keep` bytes. */
  protected abstract trimPool(keep: number): void;

  /** Called with each block; the returned function is called before the block returns to the pool. */
  protected noteBlock(_pointer: bigint, _size: number): () => void {
    return () => {};
  }

  override memalloc(size: number): MemoryPointer {
    const stream = this.#stream;
    const memory = this.memallocAsync(size, stream);
    // The caller names no stream, so the memory must be usable on any.
    stream.synchronize();
    memory.ready = null;
    return memory;
  }

  override memallocAsync(size: number, stream: Stream): MemoryPointer {
    const { context } = this;
    if (size === 0) return new MemoryPointer(context, 0n, 0);
    const allocate = (): bigint => this.allocateOn(size, stream);
    const pointer = withRetries(context, size, allocate, () => this.trim());
    const forget = this.noteBlock(pointer, size);
    const free = (): void => {
      const order = stream.destroyed ? this.#stream : stream;
      native().raw.memFreeAsync(context.native, pointer, order.native);
    };
    // A free is an operation of the stream. That of a look's memory may come after the look, and must not count either.
    const release = isLooking() ? () => look(free) : free;
    const finalizer = this.allocations.add(
      () => {
        forget();
        release();
      },
      free => free(),
      { pointer, bytes: size }
    );
    const memory = new MemoryPointer(context, pointer, size, null, finalizer);
    memory.ready = stream;
    return memory;
  }

  /** Lists the pool and its blocks in use; the addresses of its free memory are unknown. */
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

  /** Frees what the pool holds beyond `keep` bytes. */
  trim(keep = 0): void {
    this.deallocations.flush();
    this.trimPool(keep);
  }

  get #stream(): Stream {
    this.#ownStream ??= new Stream({ device: this.context });
    return this.#ownStream;
  }
}
