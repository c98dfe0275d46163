/** Describes a stream as plain JSON, for the live and the static picture. */

import { look } from '../../core/look.ts';
import type { Stream } from '../../core/stream.ts';
import { trace } from '../../recording/trace/trace.ts';
import { streamName, type TraceEvent } from '../../recording/trace/records.ts';
import { formatHandle } from '../array/row.ts';
import { shorten } from '../../base/short-texts.ts';
import { isHeld } from '../kit/streams.ts';
import {
  STREAM_PICTURE_VERSION,
  type StreamCondition,
  type StreamOperation,
  type StreamOrder,
  type StreamPicture
} from './schema.ts';

const MOST_OPERATIONS = 12;
const MOST_ORDERS = 8;
/** Maximum length of a name: names of templates can have thousands of characters. */
const LONGEST_NAME = 160;

/** Describes a stream that was destroyed or collected, from its last description. */
export function describeDestroyed(last: StreamPicture): StreamPicture {
  return { ...last, condition: 'destroyed', problem: null, completed: last.submitted, waitsFor: [] };
}

/** Describes a stream. Never throws: `condition` and `problem` report a failing driver. The read is not recorded and lets no held work run. */
export function describeStream(stream: Stream, operations: readonly StreamOperation[] = []): StreamPicture {
  return look(() => describeNow(stream, operations));
}

function describeNow(stream: Stream, operations: readonly StreamOperation[]): StreamPicture {
  const { condition, problem } = conditionOf(stream);
  const { device, handle, native: half } = stream;
  return {
    version: STREAM_PICTURE_VERSION,
    label: stream.toString(),
    handle: formatHandle(handle),
    device: device.label,
    simulated: device.simulated,
    condition,
    problem,
    owned: half.owned,
    blocking: half.blocking,
    priority: half.priority,
    priorities: prioritiesOf(stream),
    submitted: half.sequence,
    completed: condition === 'idle' ? half.sequence : half.completed,
    waits: half.waits,
    waitsFor: condition === 'destroyed' ? [] : ordersOf(stream),
    tracing: trace.enabled,
    operations
  };
}

/** Returns the latest traced operations on a stream, newest first. Reads the whole trace. */
export function recentOperations(stream: Stream): StreamOperation[] {
  const { events } = trace.read();
  const own = events.filter(event => event.device === stream.device && event.streamId === stream.id);
  const latest = own.slice(-MOST_OPERATIONS).reverse();
  return latest.map(event => {
    const { number, kind, name, bytes, cell } = event;
    return { number, kind, name: shorten(name, LONGEST_NAME), bytes, cell, ...timeOf(event) };
  });
}

/** Returns the times of an operation. A host wait is complete when it is recorded, and has no device times. */
function timeOf(event: TraceEvent): Pick<StreamOperation, 'start' | 'duration'> {
  const { kind, start, end, hostStart, hostEnd } = event;
  if (kind === 'host-wait') return { start: hostStart, duration: hostEnd - hostStart };
  return { start, duration: start === null || end === null ? null : end - start };
}

/** Returns the state of a stream. Never throws and lets no held work run. */
export function conditionOf(stream: Stream): Pick<StreamPicture, 'condition' | 'problem'> {
  const be = (condition: StreamCondition): ReturnType<typeof conditionOf> => ({ condition, problem: null });
  if (stream.destroyed) return be('destroyed');
  if (stream.capturing) return be('capturing');
  const { native: half } = stream;
  // A read must not change what it shows.
  if (isHeld(stream)) return be(half.completed < half.sequence ? 'held' : 'idle');
  try {
    return be(stream.query() ? 'idle' : 'busy');
  } catch (error) {
    return { condition: 'failed', problem: (error as Error).message };
  }
}

function prioritiesOf({ device }: Stream): StreamPicture['priorities'] {
  try {
    return device.streamPriorities;
  } catch {
    return null; // the device is lost
  }
}

/** Returns the waits on operations that are not complete, as far as the stream keeps them. */
function ordersOf(stream: Stream): StreamOrder[] {
  return stream.native
    .orderedAfter()
    .slice(0, MOST_ORDERS)
    .map(({ streamId, sequence }) => ({ label: streamName(stream.device, streamId), sequence }));
}
