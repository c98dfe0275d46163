/** Formats a table as text, for terminals and text-only frontends. */

import { stripVTControlCharacters } from 'node:util';

import { isNumeric, type TableData } from './table-data.ts';

const GAP = '  ';
/** Characters that take two columns of a terminal (Unicode TR 11) and those that take none. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;
const EMPTY = /[\p{Mn}\p{Me}\p{Cf}]/u;

export function textTable(
  { index, columns, shownRows }: TableData,
  cellText: (value: unknown) => string,
  notes: readonly string[]
): string {
  const labels = index === null ? undefined : index.values.map(cellText);
  const all = [
    {
      name: index?.name ?? '',
      cells: Array.from({ length: shownRows }, (_, row) => labels?.[row] ?? String(row)),
      right: true
    },
    ...columns.map(({ name, values }) => ({
      name,
      cells: Array.from({ length: shownRows }, (_, row) => oneLine(cellText(values[row]))),
      right: isNumeric(values)
    }))
  ];
  const widths = all.map(({ name, cells }) => Math.max(...[name, ...cells].map(displayWidth)));
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, column) => padded(text, widths[column]!, all[column]!.right))
      .join(GAP)
      .trimEnd();
  return [
    line(all.map(({ name }) => oneLine(name))),
    line(widths.map(width => '─'.repeat(width))),
    ...Array.from({ length: shownRows }, (_, row) => line(all.map(({ cells }) => cells[row]!))),
    ...notes
  ].join('\n');
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

function oneLine(text: string): string {
  return text.replace(/\r?\n/g, '⏎');
}
