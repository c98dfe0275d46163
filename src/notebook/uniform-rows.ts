/** Recognises rows of a query or a file: an array of flat objects with the same keys, which is shown as a table. */

import { inspect, types } from 'node:util';

import { isPlainObject } from './duck-types.ts';
import { libraryView } from './library-values.ts';

/** The rows that a table shows by default; those after them are not read. */
const ROWS = 50;
const COLUMNS = 30;

export function isUniformRows(value: unknown): value is readonly object[] {
  if (!Array.isArray(value) || types.isProxy(value) || value.length === 0) return false;
  let names: readonly string[] | undefined;
  for (let index = 0; index < Math.min(value.length, ROWS); index += 1) {
    const row: unknown = value[index];
    if (typeof row !== 'object' || row === null || types.isProxy(row) || !isPlainObject(row)) return false;
    const keys = Object.keys(row);
    names ??= keys;
    if (names.length === 0 || names.length > COLUMNS || keys.length !== names.length) return false;
    if (!names.every((name, column) => name === keys[column] && isCell(row, name))) return false;
  }
  return true;
}

function isCell(row: object, name: string): boolean {
  const descriptor = Object.getOwnPropertyDescriptor(row, name);
  if (descriptor === undefined || !('value' in descriptor)) return false;
  const cell: unknown = descriptor.value;
  if (cell === null || typeof cell !== 'object') return typeof cell !== 'function';
  if (types.isProxy(cell) || Array.isArray(cell) || isPlainObject(cell)) return false;
  return types.isDate(cell) || types.isUint8Array(cell) || inspect.custom in cell || hasText(cell);
}

function hasText(cell: object): boolean {
  try {
    return typeof libraryView(cell) === 'string';
  } catch {
    return false;
  }
}
