import { inspect } from 'node:util';

const TEXT: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** For text between tags and for attribute values in double quotes. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, character => TEXT[character]!);
}

/** A value as it reads; objects without a text of their own as their properties. */
export function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { toString } = value as { toString?: () => string };
  return toString === undefined || toString === Object.prototype.toString
    ? inspect(value)
    : toString.call(value);
}
