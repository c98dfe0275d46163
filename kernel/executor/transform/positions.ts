/** Places in a cell's text, and errors at them. Lines count from 1, columns from 0 in UTF-16 units, as source maps do. */

export interface Position {
  readonly line: number;
  readonly column: number;
}

export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: before.length - (before.lastIndexOf('\n') + 1) };
}

export function offsetAt(text: string, { line, column }: Position): number {
  let start = 0;
  for (let number = 1; number < line; number += 1) start = text.indexOf('\n', start) + 1;
  return start + column;
}

/** Error for a cell that does not parse, with the position in the cell's own TypeScript. */
export class CellSyntaxError extends SyntaxError {
  readonly position: Position;

  constructor(message: string, position: Position) {
    super(message);
    this.name = 'SyntaxError';
    this.position = position;
  }
}
