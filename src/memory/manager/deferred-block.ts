/** Device memory whose free is pending: another array can reuse it, with its storage, in the order of a stream. */

import type { Stream } from '../../core/stream.ts';
import type { AllocatedBlock } from './allocation-table.ts';
import type { PendingDeallocations, PendingFree } from './pending-deallocations.ts';
import type { MemoryPointer } from './pointer.ts';
import { ReusableBlock } from './reusable-block.ts';
import { noteWaiting } from './waiting.ts';

export class DeferredBlock extends ReusableBlock implements AllocatedBlock, PendingFree {
  readonly memory: MemoryPointer;
  /** The only stream that used the memory; null if there were several. */
  stream: Stream | null = null;
  /** False if another process may have opened the memory, which must not see what later arrays hold. */
  reusable = true;
  readonly #pending: PendingDeallocations;

  constructor(memory: MemoryPointer, pending: PendingDeallocations) {
    super(memory.size);
    this.memory = memory;
    this.#pending = pending;
  }

  get pointer(): bigint {
    return this.memory.pointer;
  }

  get block(): this {
    return this;
  }

  protected override keep(stream: Stream | null): void {
    this.stream = stream;
    if (this.reusable) this.#pending.add(this);
    else this.run();
  }

  /** Whether an array whose first use is on `stream` can take the memory: no other stream used it, or several, which then are waited for. */
  serves(bytes: number, stream: Stream): boolean {
    return this.bytes === bytes && (this.stream === stream || this.stream === null);
  }

  /** Returns the memory for an array whose first use is on `stream`, which waits, on the device, for uses on other streams. */
  readyFor(stream: Stream): MemoryPointer {
    if (this.stream !== stream) this.order(stream);
    this.memory.ready = stream;
    return this.memory;
  }

  /** Releases the storage, which queues the free of the memory when the work on it is done. */
  run(): void {
    if (this.dropStorage() === true && !this.memory.freed)
      noteWaiting(this.memory.context, this.memory.pointer);
  }
}
