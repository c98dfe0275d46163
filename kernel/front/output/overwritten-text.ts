/**
 * What a terminal shows of lines that are written over themselves: progress bars return to the start of their line
 * with `\r` hundreds of times a second, and only what was written last can be seen.
 */

import { stripVTControlCharacters } from 'node:util';

/** Colours and other styles, which go on after the text they stood in. */
const STYLE = /\x1b\[([\d;]*)m/g;

/** The text without what later text of the same line covers; the rest looks as it did. */
export function withoutOverwritten(text: string): string {
  if (!text.includes('\r')) return text;
  return text
    .split('\n')
    .map((line, index, lines) =>
      index < lines.length - 1 && line.endsWith('\r') ? `${visible(line.slice(0, -1))}\r` : visible(line)
    )
    .join('\n');
}

function visible(line: string): string {
  const [first, ...others] = line.split('\r');
  if (others.length < 2) return line;
  const kept: string[] = [];
  const hidden: string[] = [];
  let covered = 0;
  for (const segment of others.reverse()) {
    const width = stripVTControlCharacters(segment).length;
    if (width > covered || kept.length === 0) {
      kept.push(segment);
      covered = Math.max(covered, width);
    } else {
      hidden.push(segment);
    }
  }
  // What stands before the first return may go on a line that was sent before, at any column.
  return [first! + lastingStyle(hidden.reverse().join('')), ...kept.reverse()].join('\r');
}

/** The styles that are in force at the end of the text. */
function lastingStyle(text: string): string {
  const styles = new Map<string, string>();
  for (const [sequence, codes] of text.matchAll(STYLE)) {
    if (codes === '' || codes === '0') styles.clear();
    styles.set(kindOf(codes!), sequence);
  }
  return [...styles.values()].join('');
}

/** Sequences of one kind replace each other. */
function kindOf(codes: string): string {
  const code = Number.parseInt(codes, 10) || 0;
  if ((code >= 30 && code <= 39) || (code >= 90 && code <= 97)) return 'foreground';
  if ((code >= 40 && code <= 49) || (code >= 100 && code <= 107)) return 'background';
  return codes;
}
