/** Tables: `table` renders rows or columns of data as HTML, as text, and as a data resource for pages with a grid. */

import { inspect } from 'node:util';

import { escapeMarkup } from './escape.ts';
import type { MimeBundle } from './host.ts';
import { Markup } from './markup.ts';
import { Rich } from './rich.ts';
import { isNumeric, readTable, type TableData } from './table-data.ts';
import { dataResource } from './table-resource.ts';
import { textTable } from './text-table.ts';

export { isDataFrame } from './table-data.ts';

/** Options of `table`. */
export interface TableOptions {
  /** The most rows to show. Default 50. */
  readonly rows?: number;
  /** The most columns to show. Default 30. */
  readonly maxColumns?: number;
  /** The names of the columns to show, in this order. */
  readonly columns?: readonly string[];
  /** The text above the table. */
  readonly caption?: string;
}

const ROWS = 50;
const COLUMNS = 30;
/** The maximum length of one cell, in characters. */
const CELL_CHARACTERS = 200;
const FAINT = 'opacity: 0.6';

/**
 * Makes a table of an array of objects, arrays or single values; a typed array; a Map, a Set or another iterable; an object of columns (`{
 * x: [1, 2], y: new Float32Array(2) }`) or of rows; or a data frame of polars, arquero or Arrow.
 * @throws TypeError for anything else
 */
export function table(rows: unknown, options: TableOptions = {}): Rich {
  return new Rich(tableBundle(rows, options));
}

export function tableBundle(rows: unknown, options: TableOptions = {}): MimeBundle {
  const data = readTable(rows, {
    rows: Math.max(0, options.rows ?? ROWS),
    columns: Math.max(0, options.maxColumns ?? COLUMNS),
    only: options.columns
  });
  const notes = notesOf(data);
  return {
    'text/html': htmlTable(data, notes, options.caption),
    'application/vnd.dataresource+json': dataResource(data),
    'text/plain': textTable(data, cellText, notes)
  };
}

/** Describes what the table leaves out. */
function notesOf({ rowCount, shownRows, hiddenColumns }: TableData): string[] {
  const rows = rowCount - shownRows;
  return [
    ...(rows > 0 ? [`… ${rows.toLocaleString('en')} more ${rows === 1 ? 'row' : 'rows'}`] : []),
    ...(hiddenColumns > 0
      ? [`… ${hiddenColumns.toLocaleString('en')} more ${hiddenColumns === 1 ? 'column' : 'columns'}`]
      : [])
  ];
}

/** Uses attributes for alignment, because pages remove style sheets from untrusted notebooks. */
function htmlTable(data: TableData, notes: readonly string[], caption: string | undefined): string {
  const columns = data.columns.map(column => ({
    ...column,
    align: isNumeric(column.values) ? 'right' : 'left'
  }));
  const head = [
    headCell(data.index?.name ?? '', 'right'),
    ...columns.map(({ name, align }) => headCell(name, align))
  ];
  const body = Array.from({ length: data.shownRows }, (_, row) => {
    const label = data.index === null ? String(row) : cellText(data.index.values[row]);
    const cells = columns.map(({ values, align }) => bodyCell(values[row], align));
    return `<tr><th style="text-align: right">${escapeMarkup(label)}</th>${cells.join('')}</tr>`;
  });
  const title = caption === undefined ? '' : `<caption>${escapeMarkup(caption)}</caption>`;
  const foot = notes.length === 0 ? '' : `<div style="${FAINT}">${escapeMarkup(notes.join(', '))}</div>`;
  return `<table>${title}<thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table>${foot}`;
}

function headCell(name: string, align: string): string {
  return `<th style="text-align: ${align}">${escapeMarkup(name)}</th>`;
}

function bodyCell(value: unknown, align: string): string {
  if (value instanceof Markup && value.type !== 'text/markdown')
    return `<td style="text-align: ${align}">${value.source}</td>`;
  const faint = value === null || value === undefined ? `; ${FAINT}` : '';
  return `<td style="text-align: ${align}${faint}">${escapeMarkup(cellText(value))}</td>`;
}

/** Formats a cell as one line. */
function cellText(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : textOf(value);
  return text.length > CELL_CHARACTERS ? `${text.slice(0, CELL_CHARACTERS)}…` : text;
}

function textOf(value: unknown): string {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (value instanceof Markup) return value.source;
  try {
    return inspect(value, { depth: 1, breakLength: Infinity, maxArrayLength: 10, maxStringLength: 100 });
  } catch {
    return '(cannot be inspected)';
  }
}
