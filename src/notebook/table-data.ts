/** Reads data for a table as columns and rows. Only the rows that are shown are read. */

import { isPlainObject, methodOf } from './duck-types.ts';

export interface TableColumn {
  readonly name: string;
  /** Values of the rows shown. */
  readonly values: readonly unknown[];
}

export interface TableData {
  /** Names of the rows; null if they are only numbered. */
  readonly index: TableColumn | null;
  readonly columns: readonly TableColumn[];
  readonly rowCount: number;
  /** The number of rows with values in `index` and `columns`. */
  readonly shownRows: number;
  readonly hiddenColumns: number;
}

export interface ShownColumn extends TableColumn {
  readonly right: boolean;
}

export interface TableLimits {
  readonly rows: number;
  readonly columns: number;
  /** Names of the columns to show, in this order. */
  readonly only: readonly string[] | undefined;
}

interface Entries {
  readonly index: TableColumn | null;
  readonly rows: readonly unknown[];
  readonly rowCount: number;
}

type Columns = Readonly<Record<string, ArrayLike<unknown>>>;
type Frame = Readonly<Record<string, unknown>>;

/** A result of DuckDB. */
interface ResultReader {
  readonly currentRowCount: number;
  deduplicatedColumnNames(): readonly string[];
  value(column: number, row: number): unknown;
}

const INDEX = '';
/** The name of a single column of unnamed values. */
const VALUE = 'value';

/** Reads a table. @throws TypeError for a value that has neither rows nor columns */
export function readTable(value: unknown, limits: TableLimits): TableData {
  if (typeof value !== 'object' || value === null)
    throw new TypeError(
      `A table is made of rows (arrays, Maps, iterables) or of an object of columns, not of ${value === null ? 'null' : `a ${typeof value}`}`
    );
  const columns = columnsOf(value);
  if (columns !== undefined) return fromColumns(columns, limits);
  return fromRows(rowsOf(value, limits.rows), limits);
}

/** Returns the columns that a table shows, each with a value for every row. The first one names the rows. */
export function shownColumns({ index, columns, shownRows }: TableData): ShownColumn[] {
  const rows = Array.from({ length: shownRows }, (_, row) => row);
  return [
    { name: index?.name ?? '', values: index?.values ?? rows, right: true },
    ...columns.map(({ name, values }) => ({
      name,
      values: rows.map(row => values[row]),
      right: isNumeric(values)
    }))
  ];
}

/** Returns true if all present values are numbers, which are right-aligned. */
function isNumeric(values: readonly unknown[]): boolean {
  const present = values.filter(value => value !== null && value !== undefined);
  return present.length > 0 && present.every(value => typeof value === 'number' || typeof value === 'bigint');
}

/** Recognises data frames of other libraries by their methods: nodejs-polars, arquero, Apache Arrow, results that DuckDB has read. */
export function isDataFrame(value: object): boolean {
  const has = (name: string): boolean => methodOf(value, name) !== undefined;
  return (
    ('schema' in value && has('head') && has('toRecords')) ||
    (has('columnNames') && has('objects') && has('numRows')) ||
    ('schema' in value && 'numRows' in value && has('getChild') && has('slice')) ||
    isResultReader(value)
  );
}

function isResultReader(value: object): value is ResultReader {
  const has = (name: string): boolean => methodOf(value, name) !== undefined;
  return 'currentRowCount' in value && has('deduplicatedColumnNames') && has('value');
}

function columnsOf(value: object): Columns | undefined {
  if (!isPlainObject(value)) return undefined;
  const entries = Object.entries(value);
  return entries.length > 0 && entries.every(([, column]) => isArrayLike(column))
    ? Object.fromEntries(entries)
    : undefined;
}

function fromColumns(columns: Columns, limits: TableLimits): TableData {
  const { shown, hidden } = chosen(Object.keys(columns), limits);
  const rowCount = Math.max(...Object.values(columns).map(({ length }) => length));
  return {
    index: null,
    columns: shown.map(name => ({ name, values: firstOf(columns[name] ?? [], limits.rows) })),
    rowCount,
    shownRows: Math.min(rowCount, limits.rows),
    hiddenColumns: hidden
  };
}

function fromRows({ index, rows, rowCount }: Entries, limits: TableLimits): TableData {
  const names = new Set<string>();
  let plain = false;
  for (const row of rows) {
    const fields = fieldsOf(row);
    if (fields === undefined) plain = true;
    else for (const name of fields) names.add(name);
  }
  if (plain) names.add(VALUE);
  const { shown, hidden } = chosen([...names], limits);
  const columns = shown.map(name => ({ name, values: rows.map(row => cellOf(row, name)) }));
  return { index, columns, rowCount, shownRows: rows.length, hiddenColumns: hidden };
}

function rowsOf(value: object, limit: number): Entries {
  const frame = value as Frame;
  if (isDataFrame(value)) return frameRows(frame, limit);
  if (isArrayLike(value)) return { index: null, rows: firstOf(value, limit), rowCount: value.length };
  if (value instanceof Map) return named([...value.entries().take(limit)], value.size, 'key');
  if (value instanceof Set)
    return { index: null, rows: [...value.values().take(limit)], rowCount: value.size };
  if (Symbol.iterator in value) {
    const rows = [...(value as Iterable<unknown>)];
    return { index: null, rows: rows.slice(0, limit), rowCount: rows.length };
  }
  const keys = Object.keys(value);
  const entries = keys.slice(0, limit).map((key): [unknown, unknown] => [key, frame[key]]);
  return named(entries, keys.length, INDEX);
}

function named(entries: readonly [unknown, unknown][], rowCount: number, name: string): Entries {
  return {
    index: { name, values: entries.map(([key]) => key) },
    rows: entries.map(([, row]) => row),
    rowCount
  };
}

function frameRows(frame: Frame, limit: number): Entries {
  if (isResultReader(frame)) return readerRows(frame, limit);
  const call = (name: string, ...values: unknown[]): unknown => methodOf(frame, name)?.(...values);
  if ('toRecords' in frame) {
    const head = call('head', limit) as Frame & { toRecords(): unknown[] };
    const rowCount = typeof frame['height'] === 'number' ? frame['height'] : head.toRecords().length;
    return { index: null, rows: head.toRecords(), rowCount };
  }
  if ('objects' in frame)
    return { index: null, rows: call('objects', { limit }) as unknown[], rowCount: Number(call('numRows')) };
  // Rows of Arrow are Proxies, which return their fields with `toJSON`.
  const rows = [...(call('slice', 0, limit) as Iterable<{ toJSON(): unknown }>)].map(row => row.toJSON());
  return { index: null, rows, rowCount: Number(frame['numRows']) };
}

function readerRows(reader: ResultReader, limit: number): Entries {
  const names = reader.deduplicatedColumnNames();
  const rows = Array.from({ length: Math.min(reader.currentRowCount, limit) }, (_, row) =>
    Object.fromEntries(names.map((name, column) => [name, reader.value(column, row)]))
  );
  return { index: null, rows, rowCount: reader.currentRowCount };
}

function chosen(names: readonly string[], limits: TableLimits): { shown: readonly string[]; hidden: number } {
  if (limits.only !== undefined) return { shown: limits.only, hidden: 0 };
  return { shown: names.slice(0, limits.columns), hidden: Math.max(0, names.length - limits.columns) };
}

/** Returns the names of a row's cells; undefined for a row that is a single value. */
function fieldsOf(row: unknown): Iterable<string> | undefined {
  if (typeof row !== 'object' || row === null || row instanceof Date || row instanceof Error)
    return undefined;
  if (row instanceof Map) return [...row.keys()].map(String);
  if (isArrayLike(row)) return Array.from({ length: row.length }, (_, index) => String(index));
  if (!isPlainObject(row) && Object.keys(row).length === 0) return undefined;
  return Object.keys(row);
}

function cellOf(row: unknown, name: string): unknown {
  if (fieldsOf(row) === undefined) return name === VALUE ? row : undefined;
  if (row instanceof Map) return (row.get(name) ?? row.get(Number(name))) as unknown;
  try {
    return (row as Frame)[name];
  } catch (error) {
    return error;
  }
}

function isArrayLike(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

function firstOf(values: ArrayLike<unknown>, limit: number): unknown[] {
  return Array.from({ length: Math.min(values.length, limit) }, (_, index) => values[index]);
}
