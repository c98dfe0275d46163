/** Tables with a row per item, defined by their columns. Rows are patched in place. */

import { createBadge, type Badge } from './badge.ts';
import { createKeyedList, createTable, element, setText, type Child, type Part } from './dom.ts';

/** Content of a cell: a text, the arguments of {@link Badge.show}, or nothing if the function wrote it. `before` is the item shown before. */
export type Show<Item> = (
  item: Item,
  cell: HTMLElement,
  before: Item | undefined
) => string | Parameters<Badge['show']> | void;

/** `kind` is the class of the cells: `number`, `value`, `muted`, `key`; `head`: they head the rows, otherwise those of the first column do. */
export type Column<Item> = readonly [head: string, show: Show<Item>, kind?: string];

export interface ItemTable<Item> extends Part<[items: readonly Item[]]> {
  readonly element: HTMLTableElement;
}

/** Creates the table. Without heading texts there is no heading row. `mark` marks rows. */
export function createItemTable<Item>(
  name: string,
  caption: Child,
  keyOf: (item: Item) => string,
  columns: readonly Column<Item>[],
  mark: (row: HTMLElement, item: Item) => void = () => undefined
): ItemTable<Item> {
  const body = element('tbody');
  const hasHeads = columns.some(([head]) => head !== '');
  const heads = columns.map(([head, , kind]) =>
    element('th', { scope: 'col', ...(kind === 'number' && { class: kind }) }, head)
  );
  const heading = Math.max(
    0,
    columns.findIndex(([, , kind]) => kind === 'head')
  );
  const createRow = (): Part<[Item]> => {
    let before: Item | undefined;
    const cells = columns.map(([, , kind], column) => {
      const isHeading = column === heading;
      const attributes = { ...(isHeading && { scope: 'row' }), ...(kind !== undefined && { class: kind }) };
      return { cell: element(isHeading ? 'th' : 'td', attributes), badge: undefined as Badge | undefined };
    });
    const row = element('tr', {}, ...cells.map(({ cell }) => cell));
    return {
      element: row,
      update(item) {
        mark(row, item);
        for (const [column, place] of cells.entries()) {
          const { cell } = place;
          const content = columns[column]![1](item, cell, before);
          if (typeof content === 'string') setText(cell, content);
          else if (content) {
            if (place.badge === undefined) cell.append((place.badge = createBadge()).element);
            place.badge.show(...content);
          }
        }
        before = item;
      }
    };
  };
  return {
    element: createTable(name, caption, hasHeads ? heads : [], body),
    update: createKeyedList(body, keyOf, createRow)
  };
}
