/** Removes text that a terminal would overwrite: progress bars return to the start of their line hundreds of times a second. */

import { stripVTControlCharacters } from 'node:util';

/** Colours and other styles, which stay in force after the text that sets them. */
const STYLE = /\x1b\[([\d;]*)m/g;

/** Returns the text without the parts that later text of the line overwrites; the visible result is unchanged. */
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
  // Text before the first return may continue a line that was sent earlier, at any column.
  return [first! + lastingStyle(hidden.reverse().join('')), ...kept.reverse()].join('\r');
}

function lastingStyle(text: string): string {
  const styles = new Map<string, string>();
  for (const [sequence, codes] of text.matchAll(STYLE)) {
    if (codes === '' || codes === '0') styles.clear();
    styles.set(kindOf(codes!), sequence);
  }
  return [...styles.values()].join('');
}

/** Returns the kind of a style; a style replaces earlier ones of its kind. */
function kindOf(codes: string): string {
  const code = Number.parseInt(codes, 10) || 0;
  if ((code >= 30 && code <= 39) || (code >= 90 && code <= 97)) return 'foreground';
  if ((code >= 40 && code <= 49) || (code >= 100 && code <= 107)) return 'background';
  return codes;
}
