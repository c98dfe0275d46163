/** Calls a function when an allocation is out of memory (rule 220). */

import type { Device } from '../../core/device.ts';
import type { MemoryManagerClass } from '../manager/base.ts';
import { drainReleases, isOutOfMemory } from '../manager/out-of-memory.ts';
import type { Allocation } from '../manager/pointer.ts';
import { MemoryManagerAdaptor, type Request } from './adaptor.ts';

/** Called with the number of bytes requested, the error and the device. Returns true to try again. */
export type FailureCallback = (bytes: number, error: Error, context: Device) => boolean;

/**
 * Calls a function when an allocation fails for lack of memory, which may free memory and request another attempt (rule 220: failure
 * callbacks).
 */
export class FailureCallbackAdaptor extends MemoryManagerAdaptor {
  readonly #callback: FailureCallback;

  constructor(context: Device, upstream: MemoryManagerClass, callback: FailureCallback) {
    super(context, upstream);
    this.#callback = callback;
  }

  protected override allocate<M extends Allocation>(request: Request, attempt: () => M): M {
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!isOutOfMemory(error) || !this.#callback(request.size, error, this.context)) throw error;
      }
      // Memory that the callback released must be free before the next attempt.
      drainReleases();
    }
  }

  protected override freed(): void {}
}
