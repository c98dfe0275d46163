/** Formats values as text within HTML or XML. */

import { plainText } from './plain-text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;'
};

/** Escapes text between tags and in quoted attribute values. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character]!);
}

/** Escapes text between tags, where quotes need no escape. */
export function escapeContent(text: string): string {
  return text.replace(/[&<>]/g, character => ENTITIES[character]!);
}

/** Converts a value to text; objects without a text form are printed with their properties. */
export function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { toString } = value as { toString?: () => unknown };
  return toString === undefined || toString === Object.prototype.toString
    ? plainText(value, false)
    : String(toString.call(value));
}
