/** Events: marks in a stream's queue that other streams and the host can wait for. */

import { toDevice, type Device, type DeviceLike } from './device.ts';
import type { NativeEvent } from './native/binding.ts';
import { native } from './native/load.ts';

export interface EventOptions {
  /** Where the event will be recorded; the default device if left out. */
  readonly device?: DeviceLike;
  /** Whether `elapsedSince` may be asked; costs a little at each record. Default true. */
  readonly timing?: boolean;
}

export class Event {
  /** The native half; for the library's own use. */
  readonly native: NativeEvent;
  readonly device: Device;

  constructor(options: EventOptions = {}) {
    this.device = toDevice(options.device);
    this.native = native().createEvent(this.device.native, options.timing ?? true);
  }

  /** CUevent as an address. */
  get handle(): bigint {
    return this.native.handle;
  }

  /** True when everything before the last record is done, or nothing was recorded. Never blocks. */
  query(): boolean {
    return this.native.query();
  }

  /** Blocks until everything before the last record is done. @throws InterruptedError, DriverError */
  synchronize(): void {
    this.native.synchronize();
  }

  /** The same without blocking JavaScript. */
  synchronizeAsync(): Promise<void> {
    return this.native.synchronizeAsync();
  }

  /** Milliseconds from `start` to this event; both must be complete. @throws DriverError */
  elapsedSince(start: Event): number {
    return this.native.elapsedSince(start.native);
  }

  /** Destroys the event; a second call does nothing. */
  dispose(): void {
    this.native.destroy();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
