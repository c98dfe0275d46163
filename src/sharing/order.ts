/** Order between the work of two processes, by events that both know. */

import type { Device } from '../core/device.ts';
import { Event } from '../core/event.ts';
import { DriverError } from '../base/errors.ts';
import { orderLaterUses } from '../interchange/order.ts';
import type { Storage } from '../memory/storage.ts';
import { native } from '../native/load.ts';
import type { Stream } from '../core/stream.ts';

/** An event and the text under which another process opens it. It must live until that has waited. */
export interface SharedEvent extends Disposable {
  readonly handle: string;
  /** Marks what was submitted to the stream so far. */
  recordOn(stream: Stream): void;
}

/** Null where the driver has no such events: then the host waits in their stead. */
export function makeSharedEvent(device: Device): SharedEvent | null {
  const { sharing } = native();
  try {
    const event = new Event({ device }, sharing.eventCreate(device.native));
    return {
      handle: Buffer.from(sharing.eventHandle(event.native)).toString('base64'),
      recordOn: stream => void stream.record(event),
      [Symbol.dispose]: () => event.dispose()
    };
  } catch (error) {
    if (error instanceof DriverError) return null;
    throw error;
  }
}

/** Has `stream` wait for another process's event, on the device. @throws DriverError where that process is gone */
export function waitForShared(stream: Stream, handle: string): void {
  const { device } = stream;
  using event = new Event(
    { device },
    native().sharing.eventOpen(device.native, Buffer.from(handle, 'base64'))
  );
  stream.wait(event);
}

/** Has later uses of the storage wait for another process's event. Work of a process that has exited is over. */
export function takeBack(storage: Storage, handle: string, readOnly: boolean): void {
  try {
    orderLaterUses(storage, readOnly, stream => waitForShared(stream, handle));
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
  }
}
