/** Checks a description from a file or a kernel: saved notebooks can contain anything. */

import type { ArrayDescription, DescriptorRow } from '../../../../src/pictures/array/schema.ts';
import type {
  HistogramDescription,
  MeasuredStatistics,
  MissingStatistics
} from '../../../../src/pictures/array/statistics-schema.ts';
import { flag, listOf, nullOr, number, oneOf, optional, record, text, type Form } from '../kit/forms.ts';

/** Checks a histogram. @throws TypeError like {@link checkDescription} */
export const checkHistogram = record<HistogramDescription>({
  counts: listOf(number),
  low: number,
  width: number,
  whole: flag,
  below: number,
  above: number,
  nan: number,
  positiveInfinity: number,
  negativeInfinity: number,
  masked: number,
  stream: text,
  copiedBytes: number
});
const measured = record<MeasuredStatistics>({
  state: oneOf('measured'),
  note: text,
  minimum: nullOr(text),
  maximum: nullOr(text),
  mean: nullOr(text),
  histogram: checkHistogram,
  stale: flag
});
const missing = record<MissingStatistics>({ state: oneOf('missing'), reason: text, measurable: flag });
const statistics: Form = (value, path) => {
  const isMissing = (value as { readonly state?: unknown } | undefined)?.state === 'missing';
  (isMissing ? missing : measured)(value, path);
};

const row = record<DescriptorRow>({
  key: text,
  value: text,
  meaning: text,
  verdict: oneOf('ok', 'note', 'violation'),
  rule: text,
  derived: flag
});

const description = record<ArrayDescription>({
  version: number,
  lifetime: oneOf('live', 'freed', 'lost', 'snapshot'),
  names: optional(listOf(text)),
  collected: optional(flag),
  dtype: text,
  typestr: text,
  itemsize: number,
  shape: listOf(number),
  strides: listOf(number),
  size: number,
  bytes: number,
  pointer: text,
  readOnly: flag,
  device: record<ArrayDescription['device']>({
    label: text,
    name: text,
    simulated: flag,
    totalBytes: number
  }),
  descriptor: listOf(row),
  storage: nullOr(
    record<NonNullable<ArrayDescription['storage']>>({ address: text, bytes: number, offset: number })
  ),
  dlpack: record<ArrayDescription['dlpack']>({ typeName: text, type: number, id: number, meaning: text }),
  tensor: listOf(row),
  streamArguments: listOf(row),
  capsules: nullOr(listOf(row)),
  streams: listOf(
    record<ArrayDescription['streams'][number]>({
      id: number,
      label: text,
      handle: text,
      state: oneOf('idle', 'busy', 'destroyed', 'lost'),
      access: oneOf('read', 'write'),
      sequence: number,
      completed: number,
      exported: flag
    })
  ),
  preview: nullOr(
    record<NonNullable<ArrayDescription['preview']>>({
      rows: listOf(listOf(text)),
      truncated: flag,
      copiedBytes: number,
      stream: text
    })
  ),
  statistics,
  text: optional(text)
});

/** Checks a description. @throws TypeError that names the first part which is missing or malformed */
export function checkDescription(data: unknown): asserts data is ArrayDescription {
  description(data, '');
}
