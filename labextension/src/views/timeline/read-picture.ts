/** Parses data from a file or a kernel; throws if it does not match the schema, so that no picture is half drawn. */

import { TRACE_KINDS, type TraceProgress } from '../../../../src/recording/trace/kinds.ts';
import {
  NO_LANE,
  TRACE_RECORD_BYTES,
  traceColumns,
  type TraceBatch,
  type TraceColumns
} from '../../../../src/pictures/timeline/schema.ts';

export interface ReadBatch {
  readonly progress: TraceProgress;
  readonly batch: TraceBatch;
  readonly columns: TraceColumns;
}

function check(isRight: boolean): void {
  if (!isRight) throw new TypeError('the trace is malformed');
}

/** Parses a batch: `data` holds progress and batch, `bytes` the columns. @throws TypeError, RangeError */
export function readBatch(data: unknown, bytes: ArrayBuffer): ReadBatch {
  const progress = data as TraceProgress;
  const { batch } = data as { readonly batch: TraceBatch };
  const { count, lanes, facts } = batch;
  check([progress.epoch, progress.added, progress.dropped].every(Number.isSafeInteger));
  check(bytes.byteLength === count * TRACE_RECORD_BYTES);
  for (const { name, id } of lanes) check(typeof name === 'string' && Number.isSafeInteger(id));
  for (const { kind, name, labels } of facts)
    check(
      TRACE_KINDS[kind] !== undefined &&
        typeof name === 'string' &&
        labels.every(label => typeof label === 'string')
    );
  const columns = traceColumns(bytes, count);
  for (const column of [columns.lane, columns.host, columns.waits])
    check(column.every(lane => lane === NO_LANE || lane < lanes.length));
  check(columns.facts.every(index => index < facts.length));
  return { progress, batch, columns };
}

/** Decodes base64. @throws Error */
export function bytesOf(base64: unknown): ArrayBuffer {
  return Uint8Array.from(atob(String(base64)), character => character.charCodeAt(0)).buffer;
}
