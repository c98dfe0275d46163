/** Tables: `table` renders rows or columns of data as HTML, as text, and as a data resource for pages with a grid. */

import { inspect } from 'node:util';

import { escapeMarkup } from './escape.ts';
import type { MimeBundle } from './host.ts';
import { Markup } from './markup.ts';
import { objectCode } from './plain-text.ts';
import { Rich } from './rich.ts';
import { readTable, shownColumns, type ShownColumn, type TableData } from './table-data.ts';
import { dataResource } from './table-resource.ts';
import { textTable } from './text-table.ts';

/** Options of `table`. */
export interface TableOptions {
  /** Maximum number of rows; 50 by default. */
  readonly rows?: number;
  /** Maximum number of columns; 30 by default. */
  readonly maxColumns?: number;
  /** The names of the columns to show, in this order. */
  readonly columns?: readonly string[];
  /** The text above the table. */
  readonly caption?: string;
}

const ROWS = 50;
const COLUMNS = 30;
const CELL_CHARACTERS = 200;
const FAINT = 'opacity: 0.6';

/**
 * Makes a table of an array of objects, arrays or single values; a typed array; a Map, a Set or another iterable; an object of columns (`{
 * x: [1, 2], y: new Float32Array(2) }`) or of rows; or a data frame of polars, arquero or Arrow, or a result of DuckDB.
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
  const columns = shownColumns(data);
  const notes = notesOf(data);
  return {
    'text/html': htmlTable(columns, notes, options.caption),
    'application/vnd.dataresource+json': dataResource(data),
    'text/plain': textTable(columns, cellText, notes)
  };
}

/** Describes what the table leaves out. */
function notesOf({ rowCount, shownRows, hiddenColumns }: TableData): string[] {
  const note = (count: number, noun: string): string[] =>
    count > 0 ? [`… ${count.toLocaleString('en')} more ${noun}${count === 1 ? '' : 's'}`] : [];
  return [...note(rowCount - shownRows, 'row'), ...note(hiddenColumns, 'column')];
}

/** Uses attributes for alignment, because pages remove style sheets from untrusted notebooks. */
function htmlTable(
  columns: readonly ShownColumn[],
  notes: readonly string[],
  caption: string | undefined
): string {
  const head = columns.map(({ name, right }) => headCell(name, right));
  const [labels, ...others] = columns;
  const body = labels!.values.map((label, row) => {
    const cells = others.map(({ values, right }) => bodyCell(values[row], right));
    return `<tr>${headCell(cellText(label), true)}${cells.join('')}</tr>`;
  });
  const title = caption === undefined ? '' : `<caption>${escapeMarkup(caption)}</caption>`;
  const foot = notes.length === 0 ? '' : `<div style="${FAINT}">${escapeMarkup(notes.join(', '))}</div>`;
  return `<table>${title}<thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table>${foot}`;
}

const alignment = (right: boolean): string => `text-align: ${right ? 'right' : 'left'}`;

function headCell(text: string, right: boolean): string {
  return `<th style="${alignment(right)}">${escapeMarkup(text)}</th>`;
}

function bodyCell(value: unknown, right: boolean): string {
  if (value instanceof Markup && value.type !== 'text/markdown')
    return `<td style="${alignment(right)}">${value.source}</td>`;
  const faint = value === null || value === undefined ? `; ${FAINT}` : '';
  return `<td style="${alignment(right)}${faint}">${escapeMarkup(cellText(value))}</td>`;
}

function cellText(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : textOf(value);
  return text.length > CELL_CHARACTERS ? `${text.slice(0, CELL_CHARACTERS)}…` : text;
}

function textOf(value: unknown): string {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Markup) return value.source;
  try {
    const text = typeof value === 'object' && value !== null ? objectCode().libraryText(value) : undefined;
    if (text !== undefined) return text;
    return inspect(value, { depth: 1, breakLength: Infinity, maxArrayLength: 10, maxStringLength: 100 });
  } catch {
    return '(cannot be inspected)';
  }
}
