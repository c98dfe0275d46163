/** Rows of a table that explains a protocol: each key with its value, what it means here, and which rule it keeps or breaks. */

import type { NDArray } from '../../array/array.ts';
import type { DescriptorRow, Verdict } from './schema.ts';

/** What stands behind a key. The verdict is `ok` unless it is named. */
export type RowCells = readonly [value: string, meaning: string, rule: string, verdict?: Verdict];
export type RowOf = (array: NDArray) => RowCells;

export function row(
  key: string,
  [value, meaning, rule, verdict = 'ok']: RowCells,
  derived = false
): DescriptorRow {
  return { key, value, meaning, verdict, rule, derived };
}

/** A row for each key of a table, in its order; `derived` from several keys. */
export function rowsOf(
  table: Readonly<Record<string, RowOf>>,
  array: NDArray,
  derived = false
): DescriptorRow[] {
  return Object.entries(table).map(([key, cellsOf]) => row(key, cellsOf(array), derived));
}

/** Hexadecimal, as pointers are written. */
export function formatAddress(address: bigint): string {
  return `0x${address.toString(16)}`;
}

/** A stream's handle as the protocols write it: `1` and `2` for the default streams. */
export function formatHandle(handle: bigint): string {
  return handle <= 2n ? String(handle) : formatAddress(handle);
}
