/** Records of a trace for tests of the timeline. */

import { TRACE_KINDS } from '../../../src/recording/trace/kinds.ts';
import {
  NO_LANE,
  TRACE_PICTURE_VERSION,
  TRACE_RECORD_BYTES,
  traceColumns,
  type TraceBatch,
  type TraceColumns,
  type TraceFacts,
  type TraceLane,
  type TracePicture
} from '../../../src/pictures/timeline/schema.ts';

export const kind = (name: (typeof TRACE_KINDS)[number]): number => TRACE_KINDS.indexOf(name);
export const host: TraceLane = { device: null, deviceName: '', name: 'thread 1', id: 1, virtual: false };
export const lane = (id: number, virtual = false): TraceLane => ({
  device: virtual ? 'sim:0' : 'cuda:0',
  deviceName: 'A device',
  name: `stream #${id}`,
  id,
  virtual
});
export const facts = (name: (typeof TRACE_KINDS)[number], more: Partial<TraceFacts> = {}): TraceFacts => ({
  kind: kind(name),
  name,
  cell: null,
  array: null,
  labels: [],
  ...more
});

export interface Line {
  readonly facts: TraceFacts;
  readonly start?: number;
  readonly duration?: number;
  readonly submitted?: number;
  readonly lane?: number;
  readonly waits?: number;
  readonly number?: number;
  readonly bytes?: number;
}

/** Lanes are the host's thread, then the streams. */
export function batchOf(
  lines: readonly Line[],
  lanes: readonly TraceLane[] = [host, lane(1), lane(2)]
): { batch: TraceBatch; columns: TraceColumns; bytes: ArrayBuffer } {
  const bytes = new ArrayBuffer(lines.length * TRACE_RECORD_BYTES);
  const columns = traceColumns(bytes, lines.length);
  for (const [row, line] of lines.entries()) {
    const {
      start = NaN,
      duration = 1,
      submitted = 0,
      lane: at = NO_LANE,
      waits = NO_LANE,
      number = row
    } = line;
    const values = {
      start,
      duration,
      submitted,
      lane: at,
      waits,
      number,
      bytes: line.bytes ?? 0,
      facts: row,
      host: 0
    };
    for (const [name, value] of Object.entries(values)) columns[name as keyof TraceColumns][row] = value;
    columns.submitDuration[row] = 0.5;
  }
  return { batch: { count: lines.length, lanes, facts: lines.map(line => line.facts) }, columns, bytes };
}

export function pictureOf(lines: readonly Line[], more: Partial<TracePicture> = {}): TracePicture {
  const { batch, bytes } = batchOf(lines);
  return {
    version: TRACE_PICTURE_VERSION,
    epoch: 1,
    recording: false,
    added: lines.length,
    dropped: 0,
    batch,
    columns: Buffer.from(bytes).toString('base64'),
    ...more
  };
}

export const FLOW: readonly Line[] = [
  { facts: facts('fill', { cell: 'In [1]' }), start: 10, duration: 5, submitted: 1, lane: 1, bytes: 1000 },
  {
    facts: facts('kernel', { name: 'saxpy', labels: ['mix'] }),
    start: 12,
    duration: 8,
    submitted: 2,
    lane: 2
  },
  { facts: facts('stream-wait'), start: 20, duration: 4, submitted: 3, lane: 2, waits: 1 },
  {
    facts: facts('copy-on-device', { array: 'float32 (4,)' }),
    start: 24,
    duration: 2,
    submitted: 4,
    lane: 2,
    bytes: 4096
  },
  { facts: facts('allocation'), submitted: 5, bytes: 64 },
  { facts: facts('label', { name: 'mix', labels: ['mix'] }), submitted: 1.5 },
  { facts: facts('kernel', { name: 'pending' }), submitted: 6, lane: 1 }
];
