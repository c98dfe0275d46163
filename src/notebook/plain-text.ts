/** Formats any value as `text/plain`: never throws, and limits the length. */

import { inspect } from 'node:util';

import type * as Objects from './object-bundle.ts';

const MAX_CHARACTERS = 100_000;
/** The maximum length of a string. */
const MAX_STRING = 10_000;

type ObjectCode = typeof Objects;
let loaded: ObjectCode | undefined;

/** Loads the code for objects at the first one, since many cells show none. Rendering is synchronous, and so is this. */
export function objectCode(): ObjectCode {
  loaded ??= process.getBuiltinModule('node:module').createRequire(import.meta.url)('#objects') as ObjectCode;
  return loaded;
}

export function plainText(value: unknown, colors: boolean): string {
  if (typeof value === 'object' && value !== null) return objectCode().objectText(value, colors);
  return boundedText(value, () => inspect(value, { colors, maxStringLength: MAX_STRING }));
}

/** Returns the text that `format` makes of a value, or, if its inspect method fails, the text without it; bounded. */
export function boundedText(value: unknown, format: () => string): string {
  try {
    return shortened(format());
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
