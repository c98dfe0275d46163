/** The bundle of a value without a display of its own: text, and for what needs many lines a table or a tree. */

import type { MimeBundle } from './host.ts';
import { outlineHtml } from './outline-html.ts';
import { readContents } from './outline.ts';
import { textOfContents } from './plain-text.ts';
import { tableBundle } from './table.ts';
import { isUniformRows } from './uniform-rows.ts';

/** A shorter text has no tree. */
const FEW_LINES = 15;

export function valueBundle(value: unknown, colors: boolean): MimeBundle {
  const contents = readContents(value);
  const text = textOfContents(value, contents, colors);
  if (contents.root.kind !== 'group' || !text.includes('\n')) return { 'text/plain': text };
  if (isUniformRows(value)) return tableBundle(value);
  if (hasFewLines(text)) return { 'text/plain': text };
  return { 'text/html': outlineHtml(contents.root, contents), 'text/plain': text };
}

function hasFewLines(text: string): boolean {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1 && lines <= FEW_LINES; at = text.indexOf('\n', at + 1))
    lines += 1;
  return lines <= FEW_LINES;
}
