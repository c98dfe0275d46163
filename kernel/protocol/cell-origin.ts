/** Cells that are parts of a file, such as a script: their places are reported as places in the file. */

import type { JsonObject } from './messages.ts';

export interface CellOrigin {
  /** File name, as messages show it. */
  readonly file: string;
  /** Number of the cell's first line, from 1. */
  readonly line: number;
}

/** Key in the metadata of `execute_request`. */
const KEY = 'stridelab_origin';

export function originMetadata(origin: CellOrigin): JsonObject {
  return { [KEY]: origin };
}

export function originIn(metadata: JsonObject): CellOrigin | undefined {
  const { file, line } = (metadata[KEY] ?? {}) as Partial<Record<keyof CellOrigin, unknown>>;
  return typeof file === 'string' && typeof line === 'number' ? { file, line } : undefined;
}

/** Returns `Cell [3]:2:7`, or the place in the file. Line and column count from 1. */
export function placeText(
  label: string,
  origin: CellOrigin | undefined,
  line: number,
  column: number
): string {
  return origin === undefined
    ? `${label}:${line}:${column}`
    : `${origin.file}:${origin.line + line - 1}:${column}`;
}
