/** What a memory log remembers: allocations, segments, failures, and the events that made and ended them. */

import type { ObservedStorage } from '../../memory/manager/observer.ts';
import type { Device } from '../../core/device.ts';
import type { ReusableBlock, MemoryPointer } from '../../memory/manager/pointer.ts';
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
  /** `borrowed`: memory of another library or process, over which arrays lie here. */
  readonly kind: 'device' | 'managed' | 'borrowed';
  readonly pointer: bigint;
  /** Bytes that it takes, and that were asked for. */
  readonly bytes: number;
  readonly requested: number;
  /** Class of the manager; null for borrowed memory and for what was there before the log. */
  readonly manager: string | null;
  /** The stream that was to use it first. */
  readonly stream: { readonly id: number; readonly handle: bigint; readonly label: string } | null;
  /** The notebook cell that made it, `In [3]`. */
  readonly cell: string | null;
  /** Where it was made, innermost frame first, frames of the library left out. */
  readonly stack: readonly string[];
  /** The first array over it, where one was made with it. */
  readonly array: { readonly dtype: string; readonly shape: readonly number[] } | null;
  /** Null for what was there before the log. */
  readonly made: Moment | null;
  /** Null while it is alive. */
  readonly gone: Moment | null;
}

/** A request that was refused. */
export interface LoggedFailure {
  readonly device: Device;
  /** Bytes that were asked for. */
  readonly bytes: number;
  /** What the driver had free, all that was free in pools, and the largest free block in them, in bytes; -1 where that is not known. */
  readonly free: number;
  readonly pooled: number;
  readonly largest: number;
  /** A sentence why, and the error's own words. */
  readonly reason: string;
  readonly message: string;
  readonly cell: string | null;
  readonly stack: readonly string[];
  readonly moment: Moment;
}

/** A stretch that a pool took of the device. */
export interface LoggedSegment {
  readonly id: number;
  readonly device: Device;
  readonly pointer: bigint;
  readonly bytes: number;
  readonly made: Moment | null;
  readonly gone: Moment | null;
}

/** The log's own record of an allocation; nothing in it keeps memory alive. */
export class Allocation implements LoggedAllocation {
  readonly id: number;
  readonly device: Device;
  readonly kind: LoggedAllocation['kind'];
  readonly pointer: bigint;
  readonly bytes: number;
  readonly requested: number;
  readonly made: Moment | null;
  gone: Moment | null = null;
  source: BaseCUDAMemoryManager | null = null;
  manager: string | null = null;
  stream: LoggedAllocation['stream'] = null;
  cell: string | null = null;
  place = NOWHERE;
  array: LoggedAllocation['array'] = null;
  /** What gave it, by which its end is known; null for what was there before. */
  memory: MemoryPointer | null = null;
  block: ReusableBlock | null = null;
  storage: WeakRef<ObservedStorage> | null = null;
  /** Its last array was disposed of, and others hold the memory. */
  exported = false;
  /** Name of a variable, the last that was known. */
  owner: string | null = null;

  constructor(
    base: Pick<LoggedAllocation, 'id' | 'device' | 'kind' | 'pointer' | 'bytes' | 'requested' | 'made'>
  ) {
    this.id = base.id;
    this.device = base.device;
    this.kind = base.kind;
    this.pointer = base.pointer;
    this.bytes = base.bytes;
    this.requested = base.requested;
    this.made = base.made;
  }

  get stack(): readonly string[] {
    return this.place.frames;
  }

  end(moment: Moment): void {
    this.gone = moment;
    this.source = null;
    this.memory = null;
    this.block = null;
    this.storage = null;
  }
}

export interface Segment extends LoggedSegment {
  gone: Moment | null;
}

/** One event of the log. */
export interface LogEvent extends Moment {
  readonly kind: 'allocate' | 'free' | 'failure' | 'segment' | 'segment-free' | 'borrow' | 'return';
  readonly subject: Allocation | Segment | LoggedFailure;
}
