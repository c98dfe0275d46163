/** Formats a few lines of source with a marker below a place. */

import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Returns the text with a terminal's colour or font. */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false });
}

/** A place; lines and UTF-16 characters count from 0. */
interface Place {
  readonly line: number;
  readonly character: number;
}

export interface FrameLine {
  /** The line's number, empty for a marker; padded to the widest number. */
  readonly gutter: string;
  readonly text: string;
  readonly role: 'context' | 'line' | 'marker';
}

/** Returns the frame. `firstLine` is the number of the first line of `code`, `around` the number of context lines. */
export function codeFrame(
  code: string,
  { start, end }: { readonly start: Place; readonly end: Place },
  { firstLine = 1, around = 1 }: { readonly firstLine?: number | undefined; readonly around?: number }
): FrameLine[] {
  const lines = code.split(/\r?\n/);
  if (start.line >= lines.length) return [];
  const first = Math.max(0, start.line - around);
  const last = Math.min(lines.length - 1, start.line + around);
  const width = String(last + firstLine).length;
  const frame: FrameLine[] = [];
  for (let number = first; number <= last; number += 1) {
    const text = lines[number]!;
    const gutter = String(number + firstLine).padStart(width);
    frame.push({ gutter, text, role: number === start.line ? 'line' : 'context' });
    if (number !== start.line) continue;
    const until = end.line === start.line ? end.character : text.length;
    // Tabs are kept, so that the marker is below its character at any tab width.
    const indent = text.slice(0, start.character).replace(/[^\t]/g, ' ');
    const marker = indent + '^'.repeat(Math.max(1, until - start.character));
    frame.push({ gutter: ' '.repeat(width), text: marker, role: 'marker' });
  }
  return frame;
}

/** Returns the lines of a frame for a terminal; `color` is that of the markers. */
export function coloredFrame(frame: readonly FrameLine[], color: Style, indent: string): string[] {
  return frame.map(({ gutter, text, role }) => {
    if (role === 'context') return styled('gray', `${indent}  ${gutter} | ${text}`);
    return role === 'line'
      ? `${indent}${styled(color, '>')} ${gutter} | ${text}`
      : `${indent}  ${gutter} | ${styled(color, text)}`;
  });
}
