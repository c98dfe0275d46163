/**
 * Synchronization of imported arrays: the consumer's work waits for the producer's, and the producer's later work for the consumer's.
 * Rules 10, 66 to 77, 84, 85, 93, 95.
 */

import type { Device } from '../core/device.ts';
import { ArgumentError, DescriptorError, DriverError } from '../base/errors.ts';
import { Event } from '../core/event.ts';
import { Stream } from '../core/stream.ts';
import type { Storage } from '../memory/storage.ts';
import type { EventEntry } from '../protocols/cai.ts';
import { caiSettings } from './settings.ts';
import { textOf } from '../base/value-text.ts';

/**
 * How an import is ordered after its producer's work. `event` (or true): the consumer's stream waits on the device, and after each use the
 * producer's stream waits for the consumer (rule 75: device-side order). `host`: the host waits for the producer's stream before the call
 * returns (rule 72: host synchronization); later uses are ordered as with `event`. `adopt`: the array uses the producer's stream, and
 * nothing waits (rule 74: work on the producer's stream). `none` (or false): nothing waits, and the caller is responsible for ordering
 * (rule 76: opting out).
 */
export type SyncMode = 'event' | 'host' | 'adopt' | 'none';

export interface OrderOptions {
  /** By default `event`, unless STRIDELAB_CAI_SYNC=0 is set. */
  readonly sync?: SyncMode | boolean | undefined;
  /** The stream of the new array; by default the legacy default stream of its device. */
  readonly stream?: Stream | undefined;
  /**
   * How to treat versions 0 to 2, which name no stream (rule 10). `ready`: nothing is pending, as in version 3. `legacy`: the producer's
   * work is ordered before the legacy default stream, which is waited for. `device`: the host waits for the entire device.
   */
  readonly unsynchronized?: 'ready' | 'legacy' | 'device' | undefined;
}

/** The order of an import: the array's stream, and the ordering that its storage keeps. */
export interface Order {
  readonly stream: Stream;
  /** The stream with the pending work, or one that waits for it; uses on other streams must wait for this stream. */
  readonly pending: Stream | null;
  /** The stream that waits for each use. */
  readonly producer: Stream | null;
  /** Passes the producer an event recorded after all uses, when the last reference is released. */
  readonly giveBack: EventEntry['release'];
  /** Why nothing waits now; `waited` if a stream waits. */
  readonly why: OrderReason;
}

export type OrderReason =
  | 'waited'
  | 'nothing-pending'
  | 'empty'
  | 'same-stream'
  | 'sync-false'
  | 'adopt'
  | 'host-waited'
  | 'deferred';

export function syncModeOf(sync: OrderOptions['sync']): SyncMode {
  if (sync === undefined) return caiSettings().sync ? 'event' : 'none';
  if (typeof sync === 'boolean') return sync ? 'event' : 'none';
  if (sync === 'event' || sync === 'host' || sync === 'adopt' || sync === 'none') return sync;
  throw new ArgumentError(`sync is ${textOf(sync)}, expected 'event', 'host', 'adopt', 'none' or a boolean`);
}

/** The pending work that a producer declares. */
export interface PendingWork {
  /** The number of elements. */
  readonly size: number;
  /** The stream handle, possibly 1 or 2; null for no synchronization (rule 66). */
  readonly stream: bigint | null;
  /** Whether null means that nothing is pending; unspecified below version 3 (rule 10). */
  readonly saysWhatIsPending: boolean;
  readonly event: EventEntry | null;
}

const DONE = { pending: null, producer: null, giveBack: null } as const;

/** Decides the order of an import. @throws DescriptorError for an unknown stream or event, ArgumentError for conflicting options */
export function settleOrder(parsed: PendingWork, device: Device, options: OrderOptions): Order {
  const mode = syncModeOf(options.sync);
  const own = options.stream;
  const handle = mode === 'none' || parsed.size === 0 ? null : pendingHandle(parsed, device, options);
  if (handle === null) {
    const why = mode === 'none' ? 'sync-false' : parsed.size === 0 ? 'empty' : 'nothing-pending';
    return { ...DONE, stream: own ?? Stream.legacyDefault(device), why };
  }
  const stream = own ?? (mode === 'adopt' ? streamOf(handle, device) : Stream.legacyDefault(device));
  // Equal streams need no wait (rule 85). If another stream uses the array, it waits for this one, and this one for it.
  if (stream.handle === handle) {
    const why = mode === 'adopt' ? 'adopt' : 'same-stream';
    return { ...DONE, stream, pending: stream, producer: stream, why };
  }
  if (mode === 'adopt')
    throw new ArgumentError(
      "sync 'adopt' uses the producer's stream, but another stream was given: leave out stream, or use sync 'event'"
    );
  return mode === 'event' && parsed.event !== null
    ? orderByEvent(parsed.event, handle, stream)
    : orderByStream(streamOf(handle, device), stream, mode, parsed.event);
}

/** Streams that only wait for external users of storages, so that unrelated work is not blocked; one for each device. */
const returnStreams = new Map<Device, Stream>();

/** Makes later uses of a storage wait for an external user's work; `wait` adds the wait to a stream. */
export function orderLaterUses(storage: Storage, readOnly: boolean, wait: (stream: Stream) => void): void {
  if (storage.freed) return;
  const { device } = storage;
  let stream = returnStreams.get(device);
  if (stream === undefined) returnStreams.set(device, (stream = new Stream({ device })));
  wait(stream);
  storage.recordUse(stream, readOnly ? 'read' : 'write');
}

function refuseOutside(stream: Stream): never {
  throw new ArgumentError(
    `${stream.toString()} is being captured and cannot wait for work outside its graph: import before the capture, or with ` +
      'sync: false (rule 84: captures)'
  );
}

/** Waits only for the event: the producer's stream may belong to another thread, or be destroyed (docs/spec/event-entry.md). */
function orderByEvent(entry: EventEntry, handle: bigint, stream: Stream): Order {
  if (stream.capturing) refuseOutside(stream);
  waitForEntry(entry, stream);
  const producer = entry.release === null ? streamOf(handle, stream.device) : null;
  return { stream, pending: stream, producer, giveBack: entry.release, why: 'waited' };
}

function orderByStream(producer: Stream, stream: Stream, mode: SyncMode, entry: EventEntry | null): Order {
  if (stream.capturing && !producer.capturing) refuseOutside(stream);
  if (mode === 'host') {
    producer.synchronize();
    return { stream, pending: null, producer, giveBack: entry?.release ?? null, why: 'host-waited' };
  }
  // The wait for a stream of this library or a default stream is deferred to the first use, because most imports are never used.
  // Other streams may be destroyed by then, although producers must keep them (rule 93).
  const kept = producer.native.owned || producer.handle <= 2n;
  if (kept) return { ...DONE, stream, pending: producer, producer, why: 'deferred' };
  stream.wait(producer);
  return { ...DONE, stream, pending: stream, producer, why: 'waited' };
}

function pendingHandle(parsed: PendingWork, device: Device, options: OrderOptions): bigint | null {
  if (parsed.stream !== null) return parsed.stream; // also below version 3 (rule 8)
  if (parsed.saysWhatIsPending) return null;
  if (options.unsynchronized === 'legacy') return 1n;
  if (options.unsynchronized === 'device') device.synchronize();
  return null;
}

function streamOf(handle: bigint, device: Device): Stream {
  return named('stream', handle, 'was it destroyed? (rule 93: lifetime)', () =>
    Stream.fromHandle(handle, device)
  );
}

function waitForEntry({ handle }: EventEntry, stream: Stream): void {
  named('event', handle, 'was its array freed?', () => {
    using event = Event.fromHandle(handle, stream.device);
    stream.wait(event);
  });
}

/** Uses the stream or event of an entry. @throws DescriptorError for an unknown handle */
function named<Result>(key: 'stream' | 'event', handle: bigint, question: string, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    const text = `0x${handle.toString(16)} is not a known ${key}: ${question}`;
    throw new DescriptorError(key, text, { cause: error });
  }
}
