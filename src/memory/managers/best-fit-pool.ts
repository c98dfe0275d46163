/** A pool that serves requests from slabs, best fit first, and reuses a stream's own blocks in its order (rule 219). */

import type { Device, MemoryInfo } from '../../core/device.ts';
import { ArgumentError, OutOfMemoryError } from '../../base/errors.ts';
import { native } from '../../native/load.ts';
import type { Stream } from '../../core/stream.ts';
import { memoryObserver } from '../manager/observer.ts';
import { isOutOfMemory, withRetries } from '../manager/out-of-memory.ts';
import { MemoryPointer } from '../manager/pointer.ts';
import type { BlockState, MemorySegment } from '../manager/segments.ts';
import { BestFit, type Chunk, type Slab } from '../pool/best-fit.ts';
import { PoolBlock, type BlockOwner } from '../pool/pool-block.ts';
import { StreamArenas } from '../pool/stream-arenas.ts';
import { DefaultCUDAMemoryManager } from './default.ts';

/** Sizes are multiples of this, so that pointers are aligned for every use. */
const GRANULE = 512;
/** Slabs are multiples of this, the driver's own granularity. */
const SLAB = 2 * 2 ** 20;

/** Counters of a best-fit pool. */
export interface PoolStatistics {
  /** Bytes in use, rounded up to the pool's granularity. */
  readonly used: number;
  /** Bytes of all slabs. */
  readonly held: number;
  /** The most bytes that slabs may take; null for no limit. */
  readonly limit: number | null;
  /** The number of slabs. */
  readonly slabs: number;
  /** The number of free chunks in the slabs. */
  readonly freeChunks: number;
  /** The number of freed blocks that are cached for the stream that used them. */
  readonly keptBlocks: number;
}

/**
 * Allocates device memory from a best-fit pool, and host memory like the default manager. Freed blocks return to the pool immediately,
 * even inside `deferCleanup` (rule 197); only the unlocking of host memory is postponed. `freeAllBlocks`, `reset` and running out of memory
 * return slabs to the driver.
 */
export class BestFitPoolMemoryManager extends DefaultCUDAMemoryManager {
  /** The version of the plugin interface that this class implements. */
  static override readonly interfaceVersion: number = 2;
  readonly #owner: BlockOwner = {
    keep: (block, stream) => {
      this.#setIdle(block);
      this.#arenas.give(block, stream);
    },
    reclaim: block => {
      this.#setIdle(block);
      if (this.#chunks.has(block.chunk.slab)) this.#idle.give(block, null);
    }
  };
  readonly #arenas = new StreamArenas<PoolBlock>();
  /** Idle blocks, for the next request of their size; they are merged with their neighbours when another size is requested. */
  readonly #idle = new StreamArenas<PoolBlock>();
  #chunks = new BestFit();
  #used = 0;
  #held = 0;
  #limit: number | null = null;

  constructor(context: Device) {
    super(context);
    const limit = process.env['STRIDELAB_MEMORY_POOL_LIMIT']?.trim();
    if (limit === undefined || limit === '') return;
    const isShare = limit.endsWith('%');
    this.setLimit(isShare ? { fraction: Number(limit.slice(0, -1)) / 100 } : { bytes: Number(limit) });
  }

  override memalloc(size: number): MemoryPointer {
    if (size === 0) return new MemoryPointer(this.context, 0n, 0);
    return this.#handOut(this.#idleBlock(rounded(size)), size);
  }

  override memallocAsync(size: number, stream: Stream): MemoryPointer {
    if (size === 0) return new MemoryPointer(this.context, 0n, 0);
    const bytes = rounded(size);
    const own = this.#arenas.take(bytes, stream);
    const kept = own ?? this.#arenas.take(bytes, null);
    if (kept === undefined) return this.#handOut(this.#idleBlock(bytes), size);
    if (own === undefined) kept.order(stream);
    const memory = this.#handOut(kept, size);
    memory.ready = stream;
    return memory;
  }

  /**
   * Returns free and total bytes: what the driver has free plus what the pool can still hand out; the pool's limit counts as total if it is
   * smaller than the device.
   */
  override getMemoryInfo(): MemoryInfo {
    const { free, total } = this.context.memoryInfo();
    const most = Math.min(total, this.#limit ?? total);
    return { free: Math.max(0, Math.min(free + this.#held, most) - this.#used), total: most };
  }

  override reset(): void {
    super.reset();
    const slabs = this.#chunks.slabs();
    this.#chunks = new BestFit();
    this.#used = 0;
    this.#held = 0;
    this.#idle.takeAll();
    for (const block of this.#arenas.takeAll()) block.dropStorage();
    for (const slab of slabs) this.#dropSlab(slab);
  }

  /**
   * Limits the bytes that slabs may take: a number of bytes, a fraction of the device's memory, or null for no limit.
   * @throws ArgumentError
   */
  setLimit(limit: { readonly bytes: number } | { readonly fraction: number } | null): void {
    const bytes =
      limit === null
        ? null
        : 'bytes' in limit
          ? limit.bytes
          : limit.fraction >= 0 && limit.fraction <= 1
            ? Math.floor(limit.fraction * this.context.totalMemory)
            : NaN;
    if (bytes !== null && !(bytes >= 0))
      throw new ArgumentError('pool limit: expected bytes from 0, or a fraction from 0 to 1');
    this.#limit = bytes;
  }

  /** Returns the pool's current counters. */
  statistics(): PoolStatistics {
    return {
      used: this.#used,
      held: this.#held,
      limit: this.#limit,
      slabs: this.#chunks.size,
      freeChunks: this.#chunks.freeChunks + this.#idle.count,
      keptBlocks: this.#arenas.count
    };
  }

  /** Lists the slabs, with their blocks in use, cached for a stream, and free. */
  override segments(): readonly MemorySegment[] {
    // A block in use is neither free nor in an arena.
    const kept = new Set<Chunk>(this.#arenas.blocks().map(({ chunk }) => chunk));
    const idle = new Set<Chunk>(this.#idle.blocks().map(({ chunk }) => chunk));
    const stateOf = (chunk: Chunk): BlockState =>
      chunk.free || idle.has(chunk) ? 'free' : kept.has(chunk) ? 'kept' : 'used';
    return this.#chunks.layout().map(({ slab, chunks }) => {
      const blocks = chunks.map(chunk => ({
        pointer: chunk.pointer,
        bytes: chunk.size,
        state: stateOf(chunk)
      }));
      return { kind: 'slab', pointer: slab.pointer, bytes: slab.bytes, blocks };
    });
  }

  /** Runs the pending frees, and returns unused slabs to the driver. */
  override giveBack(): void {
    super.giveBack();
    this.freeAllBlocks();
  }

  /** Frees the slabs without blocks in use. Returns their size in bytes. */
  freeAllBlocks(): number {
    this.#consolidate();
    let bytes = 0;
    for (const slab of this.#chunks.takeIdleSlabs()) {
      this.#dropSlab(slab);
      bytes += slab.bytes;
    }
    this.#held -= bytes;
    return bytes;
  }

  #dropSlab({ pointer, bytes }: Slab): void {
    memoryObserver.current?.segment(this.context, pointer, bytes, false);
    native().raw.memFree(this.context.native, pointer);
  }

  #handOut(block: PoolBlock, size: number): MemoryPointer {
    block.inUse = true;
    this.#used += block.bytes;
    const memory = new MemoryPointer(this.context, block.chunk.pointer, size, null, block.finish);
    memory.block = block;
    return memory;
  }

  #idleBlock(bytes: number): PoolBlock {
    const idle = this.#idle.take(bytes, null);
    if (idle !== undefined) return idle;
    const known = this.#chunks.take(bytes);
    if (known !== null) return new PoolBlock(known, this.#owner);
    const attempt = (): Chunk => {
      this.#consolidate();
      return this.#chunks.take(bytes) ?? this.#fromNewSlab(bytes);
    };
    const chunk = withRetries(this.context, bytes, attempt, () => this.giveBack());
    return new PoolBlock(chunk, this.#owner);
  }

  #fromNewSlab(bytes: number) {
    const generous = Math.ceil(bytes / SLAB) * SLAB;
    const added = this.#tryAddSlab(generous) || (generous > bytes && this.#tryAddSlab(bytes));
    return (added ? this.#chunks.take(bytes) : null) ?? this.#refuse(bytes);
  }

  /** Adds a slab; false if the limit or the device has no room. */
  #tryAddSlab(bytes: number): boolean {
    if (this.#held + bytes > (this.#limit ?? Infinity)) return false;
    try {
      const pointer = native().raw.memAlloc(this.context.native, bytes);
      this.#chunks.addSlab(pointer, bytes);
      memoryObserver.current?.segment(this.context, pointer, bytes, true);
    } catch (error) {
      if (isOutOfMemory(error)) return false;
      throw error;
    }
    this.#held += bytes;
    return true;
  }

  #refuse(bytes: number): never {
    const limit = this.#limit === null ? 'no limit' : `a limit of ${this.#limit} bytes`;
    throw new OutOfMemoryError(
      `the pool on ${this.context.toString()} has no room for ${bytes} bytes: ${this.#used} of ${this.#held} bytes are in use, ` +
        `with ${limit}; dispose arrays that are no longer needed, or call setLimit (rule 219: pools)`,
      bytes,
      'cuMemAlloc'
    );
  }

  /** Returns kept blocks to the pool once their work is done, and merges idle blocks with their neighbours. */
  #consolidate(): void {
    for (const block of this.#arenas.takeAll()) block.dropStorage();
    for (const block of this.#idle.takeAll()) this.#chunks.give(block.chunk);
  }

  #setIdle(block: PoolBlock): void {
    if (!block.inUse) return;
    block.inUse = false;
    if (this.#chunks.has(block.chunk.slab)) this.#used -= block.bytes;
  }
}

function rounded(size: number): number {
  return Math.ceil(size / GRANULE) * GRANULE;
}

export { BestFitPoolMemoryManager as _stridelab_memory_manager };
