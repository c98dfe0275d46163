/** Key handling for pictures, and a roving cell cursor after the WAI-ARIA authoring practices: one cell is in the tab order. */

/** Calls `press` for each key; if it returns true, the key neither scrolls nor reaches parent elements. */
export function onKeys(target: HTMLElement, press: (event: KeyboardEvent) => boolean): void {
  target.addEventListener('keydown', event => {
    if (!press(event)) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** Runs the action of a key pressed without a modifier other than Shift; `actions` returns them by key. */
export function onKeyActions(target: HTMLElement, actions: () => Readonly<Record<string, () => void>>): void {
  onKeys(target, event => {
    const act = isCombined(event) ? undefined : actions()[event.key];
    act?.();
    return act !== undefined;
  });
}

/** Returns true if a modifier other than Shift is pressed. */
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

/** Returns the cell that a key leads to, inside the grid; undefined for a key that does not move. */
export function nextCell(
  { key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent,
  [row, column]: Cell,
  { height, width, page }: CursorExtent
): Cell | undefined {
  // Other combinations belong to JupyterLab: Ctrl+Shift+ArrowUp moves the cell.
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

/** Returns the element of `all` that `back`, `forward`, Home or End moves the focus to; undefined for other keys. */
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

/** Makes an element the only one of `container` in the tab order. */
export function rove(container: Element, to: HTMLElement | undefined, focus: boolean): void {
  for (const other of container.querySelectorAll<HTMLElement>('[tabindex="0"]')) other.tabIndex = -1;
  if (!to) return;
  to.tabIndex = 0;
  if (focus) to.focus();
}
