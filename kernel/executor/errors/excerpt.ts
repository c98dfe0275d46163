/** The lines around a place, with a caret below it. */

import { styleText } from 'node:util';
import type { Position } from '../transform/positions.ts';

const LINES_AROUND = 2;

export const heading = (text: string): string => styleText('red', text, { validateStream: false });
export const faint = (text: string): string => styleText('gray', text, { validateStream: false });

/** `firstLine` is the number of the first line of `source` in the file that it is a part of. */
export function excerpt(source: string, { line, column }: Position, firstLine = 1): string[] {
  const all = source.split(/\r?\n/);
  if (line > all.length) return [];
  const first = Math.max(1, line - LINES_AROUND);
  const last = Math.min(all.length, line + LINES_AROUND);
  const width = String(last + firstLine - 1).length;
  const lines: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const text = all[number - 1]!;
    const row = `${String(number + firstLine - 1).padStart(width)} | ${text}`;
    if (number !== line) {
      lines.push(faint(`      ${row}`));
      continue;
    }
    // Tabs stay, so that the caret stands below its character whatever their width.
    const indent = text.slice(0, column).replace(/[^\t]/g, ' ');
    lines.push(`    ${heading('>')} ${row}`, `      ${' '.repeat(width)} | ${indent}${heading('^')}`);
  }
  return lines;
}
