/** The `event` entry of a descriptor, for producers and consumers: docs/spec/event-entry.md. */

import { DescriptorError } from '../../base/errors.ts';
import { Event } from '../../core/event.ts';
import { exchangeObserver } from '../observer.ts';
import { orderLaterUses } from '../order.ts';
import type { Storage } from '../../memory/storage.ts';
import type { Stream } from '../../core/stream.ts';
import type { EventEntry } from '../../protocols/cai.ts';

/** The supported version of the extension. */
export const EVENT_ENTRY_VERSION = 1;

/**
 * Reads the `event` entry of a descriptor; null if there is none, or for another version, which consumers ignore.
 * @throws DescriptorError for a malformed entry of the known version
 */
export function readEventEntry(value: unknown): EventEntry | null {
  if (typeof value !== 'object' || value === null) return null;
  const { version, handle, release } = value as Record<string, unknown>;
  if (version !== EVENT_ENTRY_VERSION) return null;
  const address = typeof handle === 'number' && Number.isSafeInteger(handle) ? BigInt(handle) : handle;
  if (typeof address !== 'bigint' || address <= 0n || address >= 1n << 64n)
    throw new DescriptorError(
      'event',
      'the handle is not the address of an event, expected a bigint or a safe integer'
    );
  if (release !== undefined && release !== null && typeof release !== 'function')
    throw new DescriptorError('event', 'release is not a function, expected a function or null');
  return {
    version: EVENT_ENTRY_VERSION,
    handle: address,
    release: typeof release === 'function' ? consumerEvent => void release.call(value, consumerEvent) : null
  };
}

/**
 * Events of a storage, which each export records again and which live as long as the memory. Writers have a separate event: readers
 * wait for less, so with a single event an export to a reader could let a writer start too early.
 */
const events = new WeakMap<Storage, { forWriters?: Event; forReaders?: Event }>();

/** Makes the entry that is exported with `stream`, and records its event at the tail of that stream. */
export function makeEventEntry(storage: Storage, stream: Stream, readOnly: boolean): EventEntry {
  const known = events.get(storage) ?? {};
  events.set(storage, known);
  const { device } = storage;
  const event = (known[readOnly ? 'forReaders' : 'forWriters'] ??= new Event({ device, timing: false }));
  stream.record(event);
  return Object.freeze({
    version: EVENT_ENTRY_VERSION,
    handle: event.handle,
    release: (consumerEvent: bigint) => takeBack(storage, readOnly, consumerEvent)
  });
}

/** Makes later uses of the storage wait for a consumer's event, which may be destroyed after this returns. */
function takeBack(storage: Storage, readOnly: boolean, consumerEvent: bigint): void {
  orderLaterUses(storage, readOnly, stream => {
    using event = Event.fromHandle(consumerEvent, storage.device);
    stream.wait(event);
    exchangeObserver.current?.gaveBack(storage, stream);
  });
}
