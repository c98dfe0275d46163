/** Encodes trace records as columns for a page. */

import { TRACE_KINDS } from '../../recording/trace/kinds.ts';
import {
  NO_LANE,
  TRACE_RECORD_BYTES,
  traceColumns,
  type TraceBatch,
  type TraceFacts,
  type TraceLane
} from './schema.ts';
import { shorten } from '../../base/short-texts.ts';
import { formatShape } from '../../layout/shape.ts';
import type { TraceEvent } from '../../recording/trace/records.ts';
import { VIRTUAL_CALL, type VirtualLabels } from '../../recording/trace/virtual-labels.ts';

/** Longer texts are truncated: names of templates can have thousands of characters. */
const LONGEST_TEXT = 160;

/** A list of distinct items, by key. */
class Table<Item> {
  readonly items: Item[] = [];
  readonly #indices = new Map<string, number>();

  indexOf(key: string, create: () => Item): number {
    let index = this.#indices.get(key);
    if (index === undefined) {
      index = this.items.push(create()) - 1;
      this.#indices.set(key, index);
    }
    return index;
  }
}

const cut = (text: string): string => shorten(text, LONGEST_TEXT);

function factsOf({ kind, name, cell, array, labels }: TraceEvent): TraceFacts {
  return {
    kind: TRACE_KINDS.indexOf(kind),
    name: cut(name),
    cell,
    array: array && `${array.dtype} ${formatShape(array.shape)}`,
    labels: labels.map(({ text }) => cut(text))
  };
}

function streamLane({ device, stream, streamId }: TraceEvent): TraceLane {
  return {
    device: device?.label ?? null,
    deviceName: device?.name ?? '',
    name: stream ?? '',
    id: streamId ?? 0,
    virtual: device?.simulated === true
  };
}

function hostLane(thread: number): TraceLane {
  return { device: null, deviceName: '', name: `thread ${thread}`, id: thread, virtual: false };
}

/** Encodes a batch and its columns; `labels` has the records before these. */
export function traceBatch(
  events: readonly TraceEvent[],
  labels: VirtualLabels
): { readonly batch: TraceBatch; readonly columns: Uint8Array } {
  const bytes = new ArrayBuffer(events.length * TRACE_RECORD_BYTES);
  const columns = traceColumns(bytes, events.length);
  const lanes = new Table<TraceLane>();
  const facts = new Table<TraceFacts>();
  // An awaited stream may have no record here: it is then named by its id.
  const streams = new Map<string, TraceEvent>();
  for (const event of events)
    if (event.streamId !== null) streams.set(`${event.device?.label} ${event.streamId}`, event);
  const laneOfStream = (event: TraceEvent, id: number): number => {
    const key = `${event.device?.label} ${id}`;
    return lanes.indexOf(key, () => {
      const known = streams.get(key);
      return known === undefined ? { ...streamLane(event), id, name: `stream #${id}` } : streamLane(known);
    });
  };

  for (const [row, event] of events.entries()) {
    const { kind, name, cell, array, number, thread, streamId, hostStart, hostEnd } = event;
    const isHosts = streamId === null || kind === 'host-wait';
    const virtual = !isHosts && event.device?.simulated === true;
    const range = labels.of(event);
    const start = range?.start ?? event.start ?? NaN;
    columns.start[row] = start;
    columns.duration[row] = range?.duration ?? (event.end === null ? NaN : Math.max(0, event.end - start));
    columns.submitted[row] = isHosts ? hostStart : (event.submitted ?? NaN);
    columns.submitDuration[row] = virtual ? VIRTUAL_CALL : hostEnd - hostStart;
    columns.bytes[row] = event.bytes;
    columns.number[row] = number;
    const path = event.labels.map(({ text }) => text);
    const key = JSON.stringify([kind, name, cell, array?.dtype, array?.shape, path]);
    columns.facts[row] = facts.indexOf(key, () => factsOf(event));
    columns.lane[row] = streamId === null ? NO_LANE : laneOfStream(event, streamId);
    columns.host[row] = lanes.indexOf(`thread ${thread}`, () => hostLane(thread));
    columns.waits[row] = event.waitsFor === null ? NO_LANE : laneOfStream(event, event.waitsFor);
  }
  return {
    batch: { count: events.length, lanes: lanes.items, facts: facts.items },
    columns: new Uint8Array(bytes)
  };
}
