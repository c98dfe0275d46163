/** Events: markers in a stream's queue that other streams and the host can wait for. */

import { hostWaited } from './host-wait.ts';
import { requireOptions } from '../base/did-you-mean.ts';
import { toDevice, type Device, type DeviceLike } from './device.ts';
import { ArgumentError } from '../base/errors.ts';
import type { NativeEvent } from '../native/binding.ts';
import type { NativeKey } from '../native/keyed-binding.ts';
import { native } from '../native/load.ts';
import { textOf } from '../base/value-text.ts';

/** Options of `new Event`. */
export interface EventOptions {
  /** The device on which the event will be recorded; the default device if left out. */
  readonly device?: DeviceLike;
  /** Whether `elapsedSince` works; costs a little at each record. Default true. */
  readonly timing?: boolean;
}

const OPTIONS = new Set(['device', 'timing']);

/** A CUDA event: a marker in a stream's queue that streams and the host can wait for. */
export class Event {
  /** The native half; for the library's own use. */
  readonly native: NativeEvent;
  /** Names the native half in frequent calls; for the library's own use. */
  readonly key: NativeKey<NativeEvent>;
  /** The device on which the event is recorded. */
  readonly device: Device;

  /** Creates an event, destroyed by `dispose` or with the last reference. @throws DeviceError, DriverError */
  constructor(options: EventOptions = {}, adopted?: NativeEvent) {
    requireOptions('Event', options, OPTIONS);
    this.device = toDevice(options.device);
    this.native = adopted ?? native().createEvent(this.device.native, options.timing ?? true);
    this.key = this.native.key;
  }

  /**
   * Wraps an external event, which the library never destroys; it must exist as long as it is used.
   * @throws ArgumentError for anything but a bigint above 0n, DriverError for an unknown handle
   */
  static fromHandle(handle: bigint, device?: DeviceLike): Event {
    if (typeof handle !== 'bigint') throw new ArgumentError(`event handle ${textOf(handle)} is not a bigint`);
    const owner = toDevice(device);
    return new Event({ device: owner }, native().wrapEvent(owner.native, handle));
  }

  /** The address of the CUevent. */
  get handle(): bigint {
    return this.native.handle;
  }

  /** Returns true if all work before the last record is done, or if nothing was recorded. Never blocks. */
  query(): boolean {
    return this.native.query();
  }

  /** Blocks JavaScript until all work before the last record is done. @throws InterruptedError, DriverError */
  synchronize(): void {
    this.native.synchronize();
    hostWaited();
  }

  /** Resolves when all work before the last record is done. */
  synchronizeAsync(): Promise<void> {
    return this.native.synchronizeAsync().then(hostWaited);
  }

  /** Returns the milliseconds from `start` to this event; both must be complete and have timing enabled. @throws DriverError */
  elapsedSince(start: Event): number {
    return this.native.elapsedSince(start.native);
  }

  /** Destroys the event. A second call does nothing. */
  dispose(): void {
    this.native.destroy();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
