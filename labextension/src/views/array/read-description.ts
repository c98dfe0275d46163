/**
 * Validates a description from a file or a kernel. Saved notebooks can contain anything, and a view must not
 * fail half drawn: the whole description matches the schema, or a sentence says what is wrong.
 */

import {
  DESCRIPTION_VERSION,
  type ArrayDescription,
  type DescriptorRow
} from '../../../../src/pictures/array/schema.ts';
import type {
  HistogramDescription,
  MeasuredStatistics,
  MissingStatistics
} from '../../../../src/pictures/array/statistics-schema.ts';
import { __ } from '../kit/phrases.ts';

export type DescriptionResult =
  | { readonly array: ArrayDescription }
  /** A sentence to show in place of the picture. */
  | { readonly problem: string };

/** Reads a description. Never throws. */
export function readDescription(data: unknown): DescriptionResult {
  if (data === null || data === undefined)
    return { problem: __('The kernel has not described the array yet.') };
  const version = isRecord(data) ? data['version'] : undefined;
  if (typeof version === 'number' && version !== DESCRIPTION_VERSION)
    return {
      problem: __(
        'This picture has description version %1, and this page reads version %2: install the same version of Stridelab for the kernel and for JupyterLab.',
        version,
        DESCRIPTION_VERSION
      )
    };
  const fault = findFault(data, DESCRIPTION, '');
  if (fault !== undefined)
    return {
      problem: __('Not an array description: %1 is missing or malformed.', fault)
    };
  return { array: data as ArrayDescription };
}

type Form = (value: unknown, path: string) => string | undefined;
type RecordForm<Of> = { readonly [Key in keyof Of]-?: Form };

const form =
  (accepts: (value: unknown) => boolean): Form =>
  (value, path) =>
    accepts(value) ? undefined : path;
const text = form(value => typeof value === 'string');
const number = form(value => typeof value === 'number' && Number.isFinite(value));
const flag = form(value => typeof value === 'boolean');
const oneOf = (...words: readonly string[]): Form => form(value => words.includes(value as string));
const record =
  <Of>(fields: RecordForm<Of>): Form =>
  (value, path) =>
    findFault(value, fields, path);
const listOf =
  (item: Form): Form =>
  (value, path) => {
    if (!Array.isArray(value)) return path;
    for (const [index, entry] of value.entries()) {
      const fault = item(entry, `${path}[${index}]`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
const nullOr =
  (inner: Form): Form =>
  (value, path) =>
    value === null ? undefined : inner(value, path);

const nullableText = nullOr(text);

const HISTOGRAM: RecordForm<HistogramDescription> = {
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
};
const measured = record<MeasuredStatistics>({
  state: oneOf('measured'),
  note: text,
  minimum: nullableText,
  maximum: nullableText,
  mean: nullableText,
  histogram: record(HISTOGRAM),
  stale: flag
});
const missing = record<MissingStatistics>({ state: oneOf('missing'), reason: text, measurable: flag });

/** Checks a histogram that the kernel sent as an answer. Never throws. */
export function isHistogram(data: unknown): data is HistogramDescription {
  return findFault(data, HISTOGRAM, '') === undefined;
}

const ROW = record<DescriptorRow>({
  key: text,
  value: text,
  meaning: text,
  verdict: oneOf('ok', 'note', 'violation'),
  rule: text,
  derived: flag
});

/** One form per field of the schema; the compiler checks that none is missing. */
const DESCRIPTION: RecordForm<ArrayDescription> = {
  version: number,
  lifetime: oneOf('live', 'freed', 'lost', 'snapshot'),
  names: (value, path) => (value === undefined ? undefined : listOf(text)(value, path)),
  collected: form(value => value === undefined || typeof value === 'boolean'),
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
  descriptor: listOf(ROW),
  storage: nullOr(
    record<NonNullable<ArrayDescription['storage']>>({ address: text, bytes: number, offset: number })
  ),
  dlpack: record<ArrayDescription['dlpack']>({ typeName: text, type: number, id: number, meaning: text }),
  tensor: listOf(ROW),
  streamArguments: listOf(ROW),
  capsules: nullOr(listOf(ROW)),
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
  statistics: (value, path) =>
    (isRecord(value) && value['state'] === 'missing' ? missing : measured)(value, path),
  text: form(value => value === undefined || typeof value === 'string')
};

/** Finds the path of the first field that does not match its form. */
function findFault<Of>(data: unknown, fields: RecordForm<Of>, path: string): string | undefined {
  if (!isRecord(data)) return path === '' ? 'the description' : path;
  for (const [name, check] of Object.entries<Form>(fields)) {
    const fault = check(data[name], path === '' ? name : `${path}.${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
