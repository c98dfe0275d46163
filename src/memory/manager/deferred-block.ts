/** Device memory whose free is pending, with the storage of its last array: another array can reuse both in the order of a stream. */

import type { Stream } from '../../core/stream.ts';
import type { NativeStorage } from '../../native/binding.ts';
import type { AllocatedBlock } from './allocation-table.ts';
import type { PendingDeallocations } from './pending-deallocations.ts';
import type { MemoryPointer, ReusableBlock } from './pointer.ts';
import { noteWaiting } from './waiting.ts';

export class DeferredBlock implements ReusableBlock, AllocatedBlock {
  readonly memory: MemoryPointer;
  readonly bytes: number;
  /** The only stream that used the memory; null if there were several. */
  stream: Stream | null = null;
  /** False if another process may have opened the memory, which must not see what later arrays hold. */
  reusable = true;
  readonly #pending: PendingDeallocations;
  #storage: NativeStorage | null = null;

  constructor(memory: MemoryPointer, pending: PendingDeallocations) {
    this.memory = memory;
    this.bytes = memory.size;
    this.#pending = pending;
  }

  get pointer(): bigint {
    return this.memory.pointer;
  }

  take(): NativeStorage | null {
    const storage = this.#storage;
    this.#storage = null;
    return storage;
  }

  give(storage: NativeStorage, stream: Stream | null): void {
    this.#storage = storage;
    this.stream = stream;
    if (this.reusable) this.#pending.keep(this);
    else this.drop();
  }

  /** Returns the memory for an array whose first use is on `stream`, which waits, on the device, for uses on other streams. */
  readyFor(stream: Stream): MemoryPointer {
    if (this.stream !== stream) this.#storage?.prepare(stream.native, 'write');
    this.memory.ready = stream;
    return this.memory;
  }

  /** Releases the storage, which queues the free of the memory when the work on it is done. */
  drop(): void {
    const last = this.take()?.release();
    if (last === true && !this.memory.freed) noteWaiting(this.memory.context, this.memory.pointer);
  }
}
