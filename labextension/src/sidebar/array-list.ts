/** The list of arrays as a tree grid: one row is active, keys and clicks act on it (WAI-ARIA tree grid pattern). */

import { isCombined, onKeys } from '../views/kit/cursor.ts';
import { element, setAttribute } from '../views/kit/dom.ts';
import type { ArrayEntry } from '../../../src/pictures/arrays/schema.ts';
import type { Column, Row } from './arrange.ts';
import { createListHead } from './list-head.ts';
import { createRow } from './row.ts';
import { subjectOf, type Subject } from './subjects.ts';
import { createVirtualList } from './virtual-list.ts';
import { __ } from '../views/kit/phrases.ts';

export interface ListActions {
  sort(column: Column): void;
  fold(key: string, folded: boolean): void;
  inspect(subject: Subject): void;
  free(entries: readonly ArrayEntry[]): void;
  copyName(entry: ArrayEntry): void;
  /** Called when another row becomes active. */
  moved(): void;
}

/** Narrower lists, in CSS pixels, have two lines per row. */
const WIDE = 460;
const ROW_HEIGHT = { narrow: 44, wide: 24 } as const;

export function createArrayList(actions: ListActions) {
  let rows: readonly Row[] = [];
  let activeKey: string | null = null;
  let mostBytes = 0;
  const head = createListHead(column => actions.sort(column));
  const grid = element(
    'div',
    { role: 'treegrid', tabindex: '0', 'aria-label': __('Arrays of the notebook') },
    head
  );
  const list = createVirtualList<Row>(grid, head.element, () => createRow(() => ({ activeKey, mostBytes })));
  grid.append(list.element);

  /** Index of the active row, or -1 if it is not in the list. */
  let activeAt = -1;
  const active = (): Row | undefined => rows[activeAt];
  const showActive = (): void => {
    list.refresh();
    setAttribute(grid, 'aria-activedescendant', list.rowAt(activeAt)?.id ?? null);
  };
  const activate = (index: number, reveal = true): void => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (row === undefined) return;
    activeKey = row.key;
    activeAt = rows.indexOf(row);
    if (reveal) list.reveal(activeAt);
    showActive();
    actions.moved();
  };
  const fold = (row: Row): void => {
    if (row.kind === 'group') actions.fold(row.key, row.open);
  };
  /** Opens the row's picture; a heading of shared memory has none and folds instead. */
  const enter = (row: Row): void => {
    const subject = subjectOf(row);
    if (subject === undefined) fold(row);
    else if (subject.kind !== 'array' || subject.entry.state !== 'freed') actions.inspect(subject);
  };
  const entriesOf = (row: Row): readonly ArrayEntry[] => (row.kind === 'group' ? row.entries : [row.entry]);
  const parentOf = (index: number): number => {
    for (let at = index; at >= 0; at -= 1) if (rows[at]?.kind === 'group') return at;
    return index;
  };

  const press = (event: KeyboardEvent): boolean => {
    const index = activeAt;
    const row = rows[index];
    const { key } = event;
    // A key held down repeats moves, but acts once.
    const acts = (act: () => void): void => {
      if (!event.repeat) act();
    };
    if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === 'c') {
      // The user means to copy the selected text.
      if (row?.kind !== 'array' || document.getSelection()?.isCollapsed === false) return false;
      acts(() => actions.copyName(row.entry));
      return true;
    }
    if (isCombined(event)) return false;
    if (key === 'ArrowDown') activate(index + 1);
    else if (key === 'ArrowUp') activate(index - 1);
    else if (key === 'Home') activate(0);
    else if (key === 'End') activate(rows.length - 1);
    else if (key === 'PageDown') activate(index + list.pageSize);
    else if (key === 'PageUp') activate(index - list.pageSize);
    else if (row === undefined) return false;
    else if (key === 'ArrowRight' && row.kind === 'group') {
      if (row.open) activate(index + 1);
      else actions.fold(row.key, false);
    } else if (key === 'ArrowLeft') {
      if (row.kind === 'group' && row.open) actions.fold(row.key, true);
      else if (row.kind === 'array' && row.level === 2) activate(parentOf(index));
      else return false;
    } else if (key === 'Enter') acts(() => enter(row));
    else if (key === ' ' && row.kind === 'group') acts(() => fold(row));
    else if (key === 'Delete') acts(() => actions.free(entriesOf(row)));
    else return false;
    return true;
  };
  const rowUnder = (target: EventTarget | null): number => {
    const found = target instanceof Element ? target.closest('.stridelab-array-row') : null;
    return found === null ? -1 : Number(found.getAttribute('data-index'));
  };

  onKeys(grid, event => event.target === grid && press(event));
  grid.addEventListener('focus', () => {
    if (active() === undefined) activate(0, false);
  });
  grid.addEventListener('click', event => {
    const index = rowUnder(event.target);
    const row = rows[index];
    if (row === undefined) return;
    activate(index);
    fold(row);
  });
  grid.addEventListener('dblclick', event => {
    const row = rows[rowUnder(event.target)];
    if (row?.kind === 'array') enter(row);
  });
  // Runs before JupyterLab's listener, which evaluates the commands for the active row.
  grid.addEventListener('contextmenu', event => {
    const index = rowUnder(event.target);
    if (index >= 0) activate(index);
    if (event.target !== grid) return;
    // A menu opened from the keyboard targets the grid; place it at the active row.
    const row = list.rowAt(activeAt);
    if (row === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const { left, bottom } = row.getBoundingClientRect();
    row.dispatchEvent(
      new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: left + 24, clientY: bottom })
    );
  });
  const sizes = new ResizeObserver(() => {
    const layout = grid.clientWidth < WIDE ? 'narrow' : 'wide';
    setAttribute(grid, 'data-layout', layout);
    list.setRowHeight(ROW_HEIGHT[layout]);
  });
  sizes.observe(grid);

  return {
    element: grid,
    get active(): Row | undefined {
      return active();
    },
    update(newer: readonly Row[], column: Column, descending: boolean): void {
      rows = newer;
      activeAt = activeKey === null ? -1 : rows.findIndex(({ key }) => key === activeKey);
      mostBytes = rows.reduce(
        (most, row) => (row.kind === 'array' ? Math.max(most, row.entry.bytes) : most),
        0
      );
      setAttribute(grid, 'aria-rowcount', String(rows.length + 1));
      head.update(column, descending);
      list.setItems(rows);
      setAttribute(grid, 'aria-activedescendant', list.rowAt(activeAt)?.id ?? null);
    },
    focus: (): void => grid.focus(),
    dispose(): void {
      sizes.disconnect();
      list.dispose();
    }
  };
}
