/** Formats any value as `text/plain`: never throws, and limits the length. */

import { inspect } from 'node:util';

import { outlineText } from './outline-text.ts';
import { maxStringOf, readContents, type Contents } from './outline.ts';

const MAX_CHARACTERS = 100_000;
/** Maximum lengths of strings: the less, the more there are. */
const MAX_STRINGS = [10_000, 1_000, 300, 100];
const MAX_IN_STRINGS = 50_000;

export const plainText = (value: unknown, colors: boolean): string =>
  textOfContents(value, readContents(value), colors);

/** Formats a value whose contents were read before. */
export function textOfContents(value: unknown, contents: Contents, colors: boolean): string {
  try {
    const maxString = maxStringOf(contents, MAX_STRINGS, MAX_IN_STRINGS);
    return shortened(outlineText(contents.root, { colors, maxString }));
  } catch (error) {
    return shortened(withoutItsOwnMethods(value, error));
  }
}

/** Formats a value after its inspect method or Proxy trap failed. */
function withoutItsOwnMethods(value: unknown, failure: unknown): string {
  const reason = reasonOf(failure);
  try {
    return `${inspect(value, { customInspect: false })}\n(inspection failed: ${reason})`;
  } catch {
    return `[${typeof value} that cannot be inspected: ${reason}]`;
  }
}

/** Returns the message of any thrown value. */
export function reasonOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`;
    return typeof thrown === 'string' ? thrown : inspect(thrown, { depth: 0 });
  } catch {
    return 'an error that cannot be shown';
  }
}

function shortened(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const left = text.length - MAX_CHARACTERS;
  // Resets the colour, since a truncated escape sequence would colour the rest of the notebook.
  return `${text.slice(0, MAX_CHARACTERS)}\x1b[0m\n… ${left.toLocaleString('en')} more characters`;
}
