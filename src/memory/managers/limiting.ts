/** Refuses allocations beyond a number of bytes (rule 220). */

import type { Device } from '../../core/device.ts';
import { ArgumentError, OutOfMemoryError } from '../../base/errors.ts';
import type { MemoryManagerClass } from '../manager/base.ts';
import { DefaultCUDAMemoryManager } from './default.ts';
import { withRetries } from '../manager/out-of-memory.ts';
import type { Allocation } from '../manager/pointer.ts';
import { MemoryManagerAdaptor, type Request } from './adaptor.ts';

/** Options of `LimitingAdaptor`. */
export interface LimitingOptions {
  /** The most bytes that may be allocated on each device at one time; host memory does not count. */
  readonly bytes: number;
}

/** Limits the device memory that can be allocated at one time; throws OutOfMemoryError beyond the limit. */
export class LimitingAdaptor extends MemoryManagerAdaptor {
  /** The most bytes that may be allocated at one time. */
  readonly limit: number;
  #allocated = 0;

  /** @throws ArgumentError for a limit below 0 */
  constructor(context: Device, upstream: MemoryManagerClass, options: LimitingOptions) {
    super(context, upstream);
    if (!(options.bytes >= 0))
      throw new ArgumentError(`limit is ${options.bytes}, expected a number of bytes`);
    this.limit = options.bytes;
  }

  /** The bytes that currently count towards the limit. */
  get allocated(): number {
    return this.#allocated;
  }

  override reset(): void {
    super.reset();
    this.#allocated = 0;
  }

  protected override allocate<M extends Allocation>(request: Request, attempt: () => M): M {
    if (request.kind !== 'device' && request.kind !== 'managed') return attempt();
    const { size } = request;
    const memory = withRetries(this.context, size, () => {
      this.#requireRoom(size);
      return attempt();
    });
    this.#allocated += size;
    return memory;
  }

  protected override freed(request: Request): void {
    if (request.kind === 'device' || request.kind === 'managed') this.#allocated -= request.size;
  }

  #requireRoom(size: number): void {
    if (this.#allocated + size <= this.limit) return;
    throw new OutOfMemoryError(
      `${size} bytes on ${this.context.toString()} exceed the limit of ${this.limit} bytes, of which ${this.#allocated} are ` +
        `allocated: dispose arrays that are no longer needed, or raise the limit`,
      size,
      'LimitingAdaptor'
    );
  }
}

/** The default manager under a limit of half of the device. */
class HalfDevice extends LimitingAdaptor {
  constructor(context: Device) {
    super(context, DefaultCUDAMemoryManager, { bytes: context.totalMemory / 2 });
  }
}

export { HalfDevice as _stridelab_memory_manager };
