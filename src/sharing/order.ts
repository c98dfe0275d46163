/** Orders the work of two processes with events that both open. */

import type { Device } from '../core/device.ts';
import { Event } from '../core/event.ts';
import { DriverError } from '../base/errors.ts';
import { orderLaterUses } from '../interchange/order.ts';
import type { Storage } from '../memory/storage.ts';
import { native } from '../native/load.ts';
import type { Stream } from '../core/stream.ts';

/** An event and the text with which another process opens it. It must exist until that process has waited. */
export interface SharedEvent extends Disposable {
  readonly handle: string;
  /** Records the event behind the work submitted to the stream so far. */
  recordOn(stream: Stream): void;
}

/** Makes a shared event; null if the driver has none, and the host must wait instead. */
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

/** Makes `stream` wait for another process's event, on the device. @throws DriverError if that process has exited */
export function waitForShared(stream: Stream, handle: string): void {
  const { device } = stream;
  using event = new Event(
    { device },
    native().sharing.eventOpen(device.native, Buffer.from(handle, 'base64'))
  );
  stream.wait(event);
}

/** Makes later uses of the storage wait for another process's event. Work of a process that has exited is over. */
export function takeBack(storage: Storage, handle: string, readOnly: boolean): void {
  try {
    orderLaterUses(storage, readOnly, stream => waitForShared(stream, handle));
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
  }
}
