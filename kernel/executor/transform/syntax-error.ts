import type { Position } from './positions.ts';

/** Error for a cell that does not parse, with the position in the cell's own TypeScript. */
export class CellSyntaxError extends SyntaxError {
  readonly position: Position;

  constructor(message: string, position: Position) {
    super(message);
    this.name = 'SyntaxError';
    this.position = position;
  }
}
