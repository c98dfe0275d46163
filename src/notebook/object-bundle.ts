/** The bundle of an object without a display of its own: text, and for what needs many lines a table or a tree. */

import type { MimeBundle } from './host.ts';
import { libraryView } from './library-values.ts';
import { outlineHtml } from './outline-html.ts';
import { outlineText } from './outline-text.ts';
import { maxStringOf, readContents, type Contents } from './outline.ts';
import { boundedText } from './plain-text.ts';
import { tableBundle } from './table.ts';
import { isUniformRows } from './uniform-rows.ts';

/** A shorter text has no tree. */
const FEW_LINES = 15;
/** Maximum lengths of strings: the less, the more there are. */
const MAX_STRINGS = [10_000, 1_000, 300, 100];
const MAX_IN_STRINGS = 50_000;

export function objectBundle(value: object, colors: boolean): MimeBundle {
  const contents = readContents(value);
  const text = textOf(value, contents, colors);
  if (contents.root.kind !== 'group' || !text.includes('\n')) return { 'text/plain': text };
  if (isUniformRows(value)) return tableBundle(value);
  if (hasFewLines(text)) return { 'text/plain': text };
  return { 'text/html': outlineHtml(contents.root, contents), 'text/plain': text };
}

export const objectText = (value: object, colors: boolean): string =>
  textOf(value, readContents(value), colors);

/** Returns the text of a value of a known library; undefined for collections and other values. */
export function libraryText(value: object): string | undefined {
  const view = libraryView(value);
  return typeof view === 'string' ? view : undefined;
}

function textOf(value: object, contents: Contents, colors: boolean): string {
  const maxString = maxStringOf(contents, MAX_STRINGS, MAX_IN_STRINGS);
  return boundedText(value, () => outlineText(contents.root, { colors, maxString }));
}

function hasFewLines(text: string): boolean {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1 && lines <= FEW_LINES; at = text.indexOf('\n', at + 1))
    lines += 1;
  return lines <= FEW_LINES;
}
