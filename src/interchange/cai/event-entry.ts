/** The `event` entry of a descriptor, both sides: docs/spec/event-entry.md. */

import type { Device } from '../../core/device.ts';
import { DescriptorError } from '../../base/errors.ts';
import { Event } from '../../core/event.ts';
import { exchangeObserver } from '../observer.ts';
import type { Storage } from '../../memory/storage.ts';
import { Stream } from '../../core/stream.ts';
import type { EventEntry } from '../../protocols/cai.ts';

/** Version of the extension that is known here. */
export const EVENT_ENTRY_VERSION = 1;

/**
 * The entry of somebody's descriptor; null where there is none, or one of another version, which an aware consumer ignores as an
 * unaware one would. @throws DescriptorError for one of the known version that makes no sense
 */
export function readEventEntry(value: unknown): EventEntry | null {
  if (typeof value !== 'object' || value === null) return null;
  const { version, handle, release } = value as Record<string, unknown>;
  if (version !== EVENT_ENTRY_VERSION) return null;
  const address = typeof handle === 'number' && Number.isSafeInteger(handle) ? BigInt(handle) : handle;
  if (typeof address !== 'bigint' || address <= 0n || address >= 1n << 64n)
    throw new DescriptorError('event', 'the handle is not the address of an event');
  if (release !== undefined && release !== null && typeof release !== 'function')
    throw new DescriptorError('event', 'release is neither a function nor null');
  return {
    version: EVENT_ENTRY_VERSION,
    handle: address,
    release: typeof release === 'function' ? consumerEvent => void release.call(value, consumerEvent) : null
  };
}

/**
 * Events of a storage, recorded anew at each export: they live as long as the memory that they speak of. One for consumers that may
 * write and one for those that may not, who wait for less: else an export to the latter would let the former start too early.
 */
interface Events {
  forWriters?: Event;
  forReaders?: Event;
}
const events = new WeakMap<Storage, Events>();

/** The entry that goes out with `stream`, at whose tail the event is recorded. */
export function makeEventEntry(storage: Storage, stream: Stream, readOnly: boolean): EventEntry {
  const known = events.get(storage) ?? {};
  events.set(storage, known);
  const event = (known[readOnly ? 'forReaders' : 'forWriters'] ??= new Event({
    device: storage.device,
    timing: false
  }));
  stream.record(event);
  return Object.freeze({
    version: EVENT_ENTRY_VERSION,
    handle: event.handle,
    release: (consumerEvent: bigint) => takeBack(storage, readOnly, consumerEvent)
  });
}

/** Streams that do nothing but wait for events of consumers, one a device. */
const returnStreams = new Map<Device, Stream>();

/**
 * Has later uses of the storage wait for a consumer's event. The wait is submitted at once, since the event may be destroyed when
 * this returns, to a stream of its own, so that work which does not touch the storage goes on.
 */
function takeBack(storage: Storage, readOnly: boolean, consumerEvent: bigint): void {
  if (storage.freed) return;
  let stream = returnStreams.get(storage.device);
  if (stream === undefined) {
    stream = new Stream({ device: storage.device });
    returnStreams.set(storage.device, stream);
  }
  using event = Event.fromHandle(consumerEvent, storage.device);
  stream.wait(event);
  exchangeObserver.current?.gaveBack(storage, stream);
  storage.recordUse(stream, readOnly ? 'read' : 'write');
}
