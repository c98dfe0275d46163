/** Records of a memory log: allocations, segments, failures, and the events that made and ended them. */

import type { ObservedStorage } from '../../memory/manager/observer.ts';
import type { Device } from '../../core/device.ts';
import type { MemoryPointer } from '../../memory/manager/pointer.ts';
import type { ReusableBlock } from '../../memory/manager/reusable-block.ts';
import type { BaseCUDAMemoryManager } from '../../memory/manager/base.ts';
import { NOWHERE } from './places.ts';

/** Number of an event, and its time in microseconds since the log was started. */
export interface Moment {
  readonly number: number;
  readonly time: number;
}

/** An allocation, as `memoryLog.read()` returns it. */
export interface LoggedAllocation {
  readonly id: number;
  readonly device: Device;
  /** `borrowed`: external memory, of another library or process, that arrays here view. */
  readonly kind: 'device' | 'managed' | 'borrowed';
  readonly pointer: bigint;
  /** Bytes allocated, and bytes requested. */
  readonly bytes: number;
  readonly requested: number;
  /** Class of the manager; null for borrowed memory and for allocations made before the log. */
  readonly manager: string | null;
  /** The stream passed to the allocation, which uses it first. */
  readonly stream: { readonly id: number; readonly handle: bigint; readonly label: string } | null;
  /** The notebook cell that made it, `In [3]`. */
  readonly cell: string | null;
  /** Stack of the allocation, innermost frame first, without frames of the library. */
  readonly stack: readonly string[];
  /** The first array over it, if one was created with it. */
  readonly array: { readonly dtype: string; readonly shape: readonly number[] } | null;
  /** Null for allocations made before the log. */
  readonly made: Moment | null;
  /** Null while it is live. */
  readonly freed: Moment | null;
}

/** A failed request. */
export interface LoggedFailure {
  readonly device: Device;
  /** Requested bytes. */
  readonly bytes: number;
  /** Free bytes of the driver, all free bytes in pools, and the largest free block in pools; -1 if unknown. */
  readonly free: number;
  readonly pooled: number;
  readonly largest: number;
  /** The reason as a sentence, and the error's message. */
  readonly reason: string;
  readonly message: string;
  readonly cell: string | null;
  readonly stack: readonly string[];
  readonly moment: Moment;
}

/** A memory range that a pool allocated on the device. */
export interface LoggedSegment {
  readonly id: number;
  readonly device: Device;
  readonly pointer: bigint;
  readonly bytes: number;
  readonly made: Moment | null;
  readonly freed: Moment | null;
}

/** The log's record of an allocation; it keeps no memory alive. */
export class Allocation implements LoggedAllocation {
  declare readonly id: number;
  declare readonly device: Device;
  declare readonly kind: LoggedAllocation['kind'];
  declare readonly pointer: bigint;
  declare readonly bytes: number;
  declare readonly requested: number;
  declare readonly made: Moment | null;
  freed: Moment | null = null;
  source: BaseCUDAMemoryManager | null = null;
  manager: string | null = null;
  stream: LoggedAllocation['stream'] = null;
  cell: string | null = null;
  place = NOWHERE;
  array: LoggedAllocation['array'] = null;
  /** The pointer or block whose release ends it; null for allocations made before the log. */
  memory: MemoryPointer | null = null;
  block: ReusableBlock | null = null;
  storage: WeakRef<ObservedStorage> | null = null;
  /** The last array was disposed, but an external consumer holds the memory. */
  exported = false;
  /** The last known name of a variable. */
  owner: string | null = null;

  constructor(
    base: Pick<LoggedAllocation, 'id' | 'device' | 'kind' | 'pointer' | 'bytes' | 'requested' | 'made'>
  ) {
    Object.assign(this, base);
  }

  get stack(): readonly string[] {
    return this.place.frames;
  }

  end(moment: Moment): void {
    this.freed = moment;
    this.source = null;
    this.memory = null;
    this.block = null;
    this.storage = null;
  }
}

export interface Segment extends LoggedSegment {
  freed: Moment | null;
}

/** One event of the log. */
export interface LogEvent extends Moment {
  readonly kind: 'allocate' | 'free' | 'failure' | 'segment' | 'segment-free' | 'borrow' | 'return';
  readonly subject: Allocation | Segment | LoggedFailure;
}
