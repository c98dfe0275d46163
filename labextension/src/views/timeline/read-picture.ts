/** Parses data from a file or a kernel; throws if it does not match the schema, so that no picture is half drawn. */

import { TRACE_KINDS, type TraceProgress } from '../../../../src/recording/trace/kinds.ts';
import {
  NO_LANE,
  TRACE_RECORD_BYTES,
  traceColumns,
  type TraceBatch,
  type TraceColumns,
  type TraceFacts,
  type TraceLane
} from '../../../../src/pictures/timeline/schema.ts';
import { form, listOf, number, record, text } from '../kit/forms.ts';

export interface ReadBatch {
  readonly progress: TraceProgress;
  readonly batch: TraceBatch;
  readonly columns: TraceColumns;
}

const progressForm = record<Pick<TraceProgress, 'epoch' | 'added' | 'dropped'>>({
  epoch: number,
  added: number,
  dropped: number
});
const lanesForm = listOf(record<Pick<TraceLane, 'name' | 'id'>>({ name: text, id: number }));
const factsForm = listOf(
  record<Pick<TraceFacts, 'kind' | 'name' | 'labels'>>({
    kind: form(kind => TRACE_KINDS[kind as number] !== undefined),
    name: text,
    labels: listOf(text)
  })
);
const right = form(Boolean);

/** Parses a batch: `data` holds progress and batch, `bytes` the columns. @throws TypeError, RangeError */
export function readBatch(data: unknown, bytes: ArrayBuffer): ReadBatch {
  progressForm(data, '');
  const progress = data as TraceProgress;
  const { batch } = data as { readonly batch: TraceBatch };
  const { count, lanes, facts } = batch;
  lanesForm(lanes, 'lanes');
  factsForm(facts, 'facts');
  right(bytes.byteLength === count * TRACE_RECORD_BYTES, 'columns');
  const columns = traceColumns(bytes, count);
  for (const name of ['lane', 'host', 'waits'] as const)
    right(
      columns[name].every(lane => lane === NO_LANE || lane < lanes.length),
      name
    );
  right(
    columns.facts.every(index => index < facts.length),
    'facts'
  );
  return { progress, batch, columns };
}

/** Decodes base64. @throws Error */
export function bytesOf(base64: unknown): ArrayBuffer {
  return Uint8Array.from(atob(String(base64)), character => character.charCodeAt(0)).buffer;
}
