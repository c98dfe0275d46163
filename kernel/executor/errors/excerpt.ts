/** Formats the lines around a place, with a caret below it. */

import { styleText } from 'node:util';
import { codeFrame } from '../../protocol/code-frame.ts';
import type { Position } from '../transform/positions.ts';

export const heading = (text: string): string => styleText('red', text, { validateStream: false });
export const faint = (text: string): string => styleText('gray', text, { validateStream: false });

/** Returns the lines. `firstLine` is the number of the first line of `source` in its file. */
export function excerpt(source: string, { line, column }: Position, firstLine = 1): string[] {
  const place = { line: line - 1, character: column };
  return codeFrame(source, { start: place, end: place }, { firstLine, around: 2 }).map(
    ({ gutter, text, role }) => {
      if (role === 'context') return faint(`      ${gutter} | ${text}`);
      return role === 'line'
        ? `    ${heading('>')} ${gutter} | ${text}`
        : `      ${gutter} | ${heading(text)}`;
    }
  );
}
