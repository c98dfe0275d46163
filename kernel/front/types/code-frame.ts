/** A few lines of a cell with the place of a finding marked below them. */

import type { LspRange } from '../typescript/lsp-types.ts';

export interface FrameLine {
  /** The line's number, from 1, or nothing before a marker; as wide as the widest. */
  readonly gutter: string;
  readonly text: string;
  readonly role: 'context' | 'line' | 'marker';
}

const CONTEXT_LINES = 1;

/** `firstLine` is the number of the first line of `code`. */
export function codeFrame(code: string, { start, end }: LspRange, firstLine = 1): FrameLine[] {
  const lines = code.split(/\r?\n/);
  const first = Math.max(0, start.line - CONTEXT_LINES);
  const last = Math.min(lines.length - 1, start.line + CONTEXT_LINES);
  const width = String(last + firstLine).length;
  const frame: FrameLine[] = [];
  for (let number = first; number <= last; number += 1) {
    const text = lines[number]!;
    const gutter = String(number + firstLine).padStart(width);
    if (number !== start.line) {
      if (text.trim() !== '') frame.push({ gutter, text, role: 'context' });
      continue;
    }
    frame.push({ gutter, text, role: 'line' });
    const until = end.line === start.line ? end.character : text.length;
    // Tabs stay, so that the marker stands below its character whatever their width.
    const indent = text.slice(0, start.character).replace(/[^\t]/g, ' ');
    const marker = indent + '^'.repeat(Math.max(1, until - start.character));
    frame.push({ gutter: ' '.repeat(width), text: marker, role: 'marker' });
  }
  return frame;
}
