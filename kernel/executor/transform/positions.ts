/** Places in a cell's text. Lines count from 1, columns from 0 in UTF-16 units, as source maps do. */

export interface Position {
  readonly line: number;
  readonly column: number;
}

export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: before.length - (before.lastIndexOf('\n') + 1) };
}

/** Returns the offset of a position; the inverse of `positionAt`. */
export function offsetAt(text: string, { line, column }: Position): number {
  let start = 0;
  for (let number = 1; number < line; number += 1) start = text.indexOf('\n', start) + 1;
  return start + column;
}
