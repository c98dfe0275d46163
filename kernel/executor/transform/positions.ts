/** Places in a cell's text. Lines count from 1, columns from 0 in UTF-16 units, as source maps do. */

export interface Position {
  readonly line: number;
  readonly column: number;
}

export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: before.length - (before.lastIndexOf('\n') + 1) };
}
