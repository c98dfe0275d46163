/** Formats any value as `text/plain`: never throws, and limits the length. */

import { inspect, types } from 'node:util';

import { isPlainObject } from './duck-types.ts';
import { notebookHost } from './host.ts';

const MAX_CHARACTERS = 100_000;
const MAX_PROPERTIES = 1_000;

export const plainText = (value: unknown, colors: boolean): string => shortened(unboundedText(value, colors));

function unboundedText(value: unknown, colors: boolean): string {
  try {
    if (types.isNativeError(value)) {
      const described = notebookHost()?.describeError?.(value);
      if (described !== undefined) return described;
    }
    const { sample, left } = firstProperties(value);
    const text = inspect(sample, { colors });
    return left === 0 ? text : `${text}\n… ${left.toLocaleString('en')} more properties`;
  } catch (error) {
    return withoutItsOwnMethods(value, error);
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

/** Limits the properties: `inspect` bounds arrays and strings, but prints every property of an object. */
function firstProperties(value: unknown): { sample: unknown; left: number } {
  if (typeof value !== 'object' || value === null || types.isProxy(value) || !isPlainObject(value))
    return { sample: value, left: 0 };
  const keys = Object.keys(value);
  if (keys.length <= MAX_PROPERTIES) return { sample: value, left: 0 };
  const sample: Record<string, unknown> = {};
  for (const key of keys.slice(0, MAX_PROPERTIES))
    Object.defineProperty(sample, key, Object.getOwnPropertyDescriptor(value, key)!);
  return { sample, left: keys.length - MAX_PROPERTIES };
}

function shortened(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const left = text.length - MAX_CHARACTERS;
  // Resets the colour, since a truncated escape sequence would colour the rest of the notebook.
  return `${text.slice(0, MAX_CHARACTERS)}\x1b[0m\n… ${left.toLocaleString('en')} more characters`;
}
