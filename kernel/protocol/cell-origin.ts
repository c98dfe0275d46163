/** Cells that are parts of a file, as those of scripts are: their places are reported as places in the file. */

import type { JsonObject } from './messages.ts';

export interface CellOrigin {
  /** As messages name it. */
  readonly file: string;
  /** Of the cell's first line, from 1. */
  readonly line: number;
}

/** In the metadata of `execute_request`. */
const KEY = 'stridelab_origin';

export function originMetadata(origin: CellOrigin): JsonObject {
  return { [KEY]: origin };
}

export function originIn(metadata: JsonObject): CellOrigin | undefined {
  const { file, line } = (metadata[KEY] ?? {}) as Partial<Record<keyof CellOrigin, unknown>>;
  return typeof file === 'string' && typeof line === 'number' ? { file, line } : undefined;
}

/** `Cell [3]:2:7`, or the place in the file. Line and column count from 1. */
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
