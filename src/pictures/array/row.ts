/** Rows of a table that explains a protocol: each key with its value, its meaning here, and the rule that it keeps or breaks. */

import type { NDArray } from '../../array/array.ts';
import type { DescriptorRow, Verdict } from './schema.ts';

/** Content of a row after its key. The default verdict is `ok`. */
export type RowCells = readonly [value: string, meaning: string, rule: string, verdict?: Verdict];
export type RowOf = (array: NDArray) => RowCells;

export function row(
  key: string,
  [value, meaning, rule, verdict = 'ok']: RowCells,
  derived = false
): DescriptorRow {
  return { key, value, meaning, verdict, rule, derived };
}

/** Returns a row for each key of a table, in order; `derived`: computed from several keys. */
export function rowsOf(
  table: Readonly<Record<string, RowOf>>,
  array: NDArray,
  derived = false
): DescriptorRow[] {
  return Object.entries(table).map(([key, cellsOf]) => row(key, cellsOf(array), derived));
}

export const formatAddress = (address: bigint): string => `0x${address.toString(16)}`;

/** Formats a stream's handle as the protocols write it: `1` and `2` for the default streams. */
export function formatHandle(handle: bigint): string {
  return handle <= 2n ? String(handle) : formatAddress(handle);
}
