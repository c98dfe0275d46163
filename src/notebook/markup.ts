/** HTML, SVG and Markdown: functions of a text that are also template tags. */

import { methodOf } from './duck-types.ts';
import { displayedHtml } from './displayed-html.ts';
import { escapeMarkup, textOf } from './escape.ts';
import { DISPLAY_METHOD, type DisplayResult } from './host.ts';
import { Rich } from './rich.ts';

/** Text of a markup type, such as HTML. Inside another `html` or `svg` template it is inserted without escaping. */
export class Markup extends Rich {
  /** The MIME type. */
  readonly type: string;
  /** The text. */
  readonly source: string;

  constructor(type: string, source: string) {
    super({ [type]: source, 'text/plain': source });
    this.type = type;
    this.source = source;
  }

  /** Returns the text. */
  override toString(): string {
    return this.source;
  }
}

type MarkupTag = {
  /** Uses the text unchanged. */
  (source: string): Markup;
  (strings: TemplateStringsArray, ...values: unknown[]): Markup;
};

/**
 * A template tag for HTML. Values are escaped, except markup and values that show themselves as HTML, SVG or an image; arrays are joined;
 * null, undefined and false are left out.
 */
export const html: MarkupTag = markupTag('text/html', source => source, htmlOf);

/**
 * A template tag for SVG. Values are escaped, except markup and values that show themselves as HTML, SVG or an image; arrays are joined;
 * null, undefined and false are left out.
 */
export const svg: MarkupTag = markupTag('image/svg+xml', withNamespace, htmlOf);

/** A template tag for Markdown, with mathematics between `$`. Values are inserted as text, and the template's indentation is removed. */
export const md: MarkupTag = markupTag('text/markdown', withoutIndentation, textOf);

function markupTag(
  type: string,
  finish: (source: string) => string,
  insert: (value: unknown) => string
): MarkupTag {
  return (first: string | TemplateStringsArray, ...values: unknown[]): Markup => {
    if (typeof first === 'string') return new Markup(type, finish(first));
    const pieces = first.map((text, index) => (index === 0 ? '' : insert(values[index - 1])) + text);
    return new Markup(type, finish(pieces.join('')));
  };
}

function htmlOf(value: unknown): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Markup && value.type !== 'text/markdown') return value.source;
  if (Array.isArray(value)) return value.map(htmlOf).join('');
  return shownHtml(value) ?? escapeMarkup(textOf(value));
}

/** Returns the HTML of a value that displays itself synchronously. */
function shownHtml(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const shown = methodOf(value, DISPLAY_METHOD)?.() as DisplayResult | Promise<DisplayResult> | undefined;
  return shown === undefined || shown instanceof Promise ? undefined : displayedHtml(shown);
}

/** Adds the namespace, without which pages cannot show SVG as an image. */
function withNamespace(source: string): string {
  return source.replace(/^(\s*<svg)(?=[\s>])(?![^>]*\sxmlns=)/i, '$1 xmlns="http://www.w3.org/2000/svg"');
}

function withoutIndentation(source: string): string {
  const lines = source.split('\n');
  const indents = lines.slice(1).flatMap(line => (line.trim() === '' ? [] : /^[ \t]*/.exec(line)![0].length));
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  return lines
    .map((line, index) => (index === 0 ? line : line.slice(indent)))
    .join('\n')
    .trim();
}
