/** Formats a table as text, for terminals and text-only frontends. */

import { stripVTControlCharacters } from 'node:util';

import type { ShownColumn } from './table-data.ts';

const GAP = '  ';
/** Characters that take two columns of a terminal (Unicode TR 11) and those that take none. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;
const EMPTY = /[\p{Mn}\p{Me}\p{Cf}]/u;

export function textTable(
  columns: readonly ShownColumn[],
  cellText: (value: unknown) => string,
  notes: readonly string[]
): string {
  const all = columns.map(({ name, values, right }) => ({
    cells: [name, ...values.map(cellText)].map(oneLine),
    right
  }));
  const widths = all.map(({ cells }) => Math.max(...cells.map(displayWidth)));
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, column) => padded(text, widths[column]!, all[column]!.right))
      .join(GAP)
      .trimEnd();
  const [head = '', ...rows] = all[0]!.cells.map((_, row) => line(all.map(({ cells }) => cells[row]!)));
  return [head, line(widths.map(width => '─'.repeat(width))), ...rows, ...notes].join('\n');
}

function padded(text: string, width: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return right ? space + text : text + space;
}

/** Returns the number of terminal columns that the text takes. */
export function displayWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (/^[\x20-\x7e]*$/.test(plain)) return plain.length;
  let width = 0;
  for (const character of plain) width += EMPTY.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

const oneLine = (text: string): string => text.replace(/\r?\n/g, '⏎');
