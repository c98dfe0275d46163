/** Values as text within HTML or XML. */

import { plainText } from './plain-text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;'
};

/** For text between tags and for attribute values in quotes. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character]!);
}

/** A value as it reads; objects without a text of their own as their properties. */
export function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { toString } = value as { toString?: () => unknown };
  return toString === undefined || toString === Object.prototype.toString
    ? plainText(value, false)
    : String(toString.call(value));
}
