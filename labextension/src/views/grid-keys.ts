/** Keys of tables in which a cursor moves from cell to cell, after the WAI-ARIA authoring practices. */

import { element } from './dom.ts';

export interface GridExtent {
  readonly height: number;
  readonly width: number;
  /** Rows that PageUp and PageDown move by. */
  readonly page: number;
}

export type Cell = readonly [row: number, column: number];

/** The cell that a key leads to, inside the grid; undefined for a key that does not move. */
export function nextCell(
  { key, ctrlKey }: KeyboardEvent,
  [row, column]: Cell,
  { height, width, page }: GridExtent
): Cell | undefined {
  const moves: Readonly<Record<string, Cell>> = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    PageUp: [row - page, column],
    PageDown: [row + page, column],
    Home: [ctrlKey ? 0 : row, 0],
    End: [ctrlKey ? height - 1 : row, width - 1]
  };
  const to = Object.hasOwn(moves, key) ? moves[key] : undefined;
  return to && [clamp(to[0], height), clamp(to[1], width)];
}

function clamp(value: number, length: number): number {
  return Math.max(0, Math.min(value, length - 1));
}

/** The table of such a grid: named, and with the keys to itself. */
export function createGrid(label: string, name: string, ...children: readonly Node[]): HTMLTableElement {
  return element(
    'table',
    {
      class: `stridelab-table stridelab-grid ${name}`,
      role: 'grid',
      'aria-label': label,
      'data-lm-suppress-shortcuts': 'true'
    },
    ...children
  );
}
