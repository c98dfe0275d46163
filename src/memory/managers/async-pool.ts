/** The driver's own stream-ordered pool (rules 217, 220). */

import type { Device } from '../../core/device.ts';
import { native } from '../../native/load.ts';
import type { Stream } from '../../core/stream.ts';
import { StreamOrderedMemoryManager } from './stream-ordered.ts';

/** The pool keeps all its memory: with the driver's default of 0, each synchronization empties it, which loses most of its speed. */
const KEEP_ALL = 0xffff_ffff_ffff_ffffn;

/** Allocates device memory with `cuMemAllocAsync`, from the driver's own pool. This memory has no IPC handle (rule 194). */
export class AsyncPoolMemoryManager extends StreamOrderedMemoryManager {
  constructor(context: Device) {
    super(context);
    native().raw.poolSetReleaseThreshold(context.native, KEEP_ALL);
  }

  protected override allocateOn(size: number, stream: Stream): bigint {
    return native().raw.memAllocAsync(this.context.native, size, stream.native);
  }

  protected override reserved(): number {
    return native().raw.poolReserved(this.context.native);
  }

  protected override trimPool(keep: number): void {
    native().raw.poolTrim(this.context.native, keep);
  }
}

export { AsyncPoolMemoryManager as _stridelab_memory_manager };
