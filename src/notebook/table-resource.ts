/** Makes a Frictionless "tabular data resource", which nteract, VS Code and others draw as a grid. */

import { inspect } from 'node:util';

import { shorten } from '../base/short-texts.ts';
import type { TableColumn, TableData } from './table-data.ts';

export interface DataResource {
  readonly schema: {
    readonly fields: readonly { readonly name: string; readonly type: string }[];
    readonly primaryKey?: readonly string[];
  };
  readonly data: readonly Readonly<Record<string, unknown>>[];
}

const INDEX = 'index';
/** The maximum length of a string, so that a notebook does not store whole documents. */
const MAX_STRING = 1_000;

export function dataResource({ index, columns, shownRows }: TableData): DataResource {
  const all = index === null ? columns : [{ ...index, name: index.name || INDEX }, ...columns];
  const data = Array.from({ length: shownRows }, (_, row) =>
    Object.fromEntries(all.map(({ name, values }) => [name, jsonValue(values[row])]))
  );
  return {
    schema: {
      fields: all.map(column => ({ name: column.name, type: fieldType(column) })),
      ...(index !== null && { primaryKey: [index.name || INDEX] })
    },
    data
  };
}

function fieldType({ values }: TableColumn): string {
  const types = new Set(values.filter(value => value !== null && value !== undefined).map(typeOfValue));
  if (types.size === 1) return [...types][0]!;
  return [...types].every(type => type === 'integer' || type === 'number') && types.size > 0
    ? 'number'
    : 'any';
}

function typeOfValue(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'boolean' || typeof value === 'string') return typeof value;
  return value instanceof Date ? 'datetime' : 'any';
}

function jsonValue(value: unknown): unknown {
  if (value === null || value === undefined || typeof value === 'boolean') return value ?? null;
  if (typeof value === 'string') return shorten(value, MAX_STRING);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  try {
    return typeof value === 'bigint' ? String(value) : inspect(value, { depth: 1, breakLength: Infinity });
  } catch {
    return null;
  }
}
