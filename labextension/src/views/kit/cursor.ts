/** Keys that parts of a picture use, and a cursor among cells, after the WAI-ARIA authoring practices: one is in the tab order, keys move it. */

/** Calls `press` with each key; one for which it returns true neither scrolls nor reaches what is around. */
export function onKeys(target: HTMLElement, press: (event: KeyboardEvent) => boolean): void {
  target.addEventListener('keydown', event => {
    if (!press(event)) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** Whether a key is pressed with others, but for Shift. */
export function isCombined({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey;
}

export interface CursorExtent {
  readonly height: number;
  readonly width: number;
  /** Rows that PageUp and PageDown move by. */
  readonly page: number;
}

export type Cell = readonly [row: number, column: number];

/** The cell that a key leads to, inside the grid; undefined for a key that does not move. */
export function nextCell(
  { key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent,
  [row, column]: Cell,
  { height, width, page }: CursorExtent
): Cell | undefined {
  // Other combinations are JupyterLab's: Ctrl+Shift+ArrowUp moves the cell.
  if (metaKey || altKey || shiftKey || (ctrlKey && key !== 'Home' && key !== 'End')) return undefined;
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
  const to = moves[key];
  return to && [clamp(to[0], 0, height - 1), clamp(to[1], 0, width - 1)];
}

export function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}

/** Which of `all` the keys `back`, `forward`, Home and End go to from the one that has the focus; undefined for any other key. */
export function neighbour(
  event: KeyboardEvent,
  all: readonly HTMLElement[],
  back: string,
  forward: string
): HTMLElement | undefined {
  const { key, target } = event;
  const index = all.indexOf(target as HTMLElement);
  if (index < 0 || isCombined(event) || event.shiftKey) return undefined;
  if (key === forward) return all[(index + 1) % all.length];
  if (key === back) return all.at(index - 1);
  if (key === 'Home') return all[0];
  return key === 'End' ? all.at(-1) : undefined;
}

/** Puts one element in the tab order in place of those of `container` that were. */
export function rove(container: Element, to: HTMLElement | undefined, focus: boolean): void {
  for (const other of container.querySelectorAll<HTMLElement>('[tabindex="0"]')) other.tabIndex = -1;
  if (!to) return;
  to.tabIndex = 0;
  if (focus) to.focus();
}
