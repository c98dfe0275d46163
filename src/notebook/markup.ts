/** HTML, SVG and Markdown: functions of a text, and tags of template literals. */

import { displayedHtml } from './displayed-html.ts';
import { escapeMarkup, textOf } from './escape.ts';
import { DISPLAY_METHOD, type Displayable } from './host.ts';
import { Rich } from './rich.ts';

/** A text that is shown as what its `type` says. In another `html` or `svg` it stands unescaped. */
export class Markup extends Rich {
  readonly type: string;
  readonly source: string;

  constructor(type: string, source: string) {
    super({ [type]: source, 'text/plain': source });
    this.type = type;
    this.source = source;
  }

  override toString(): string {
    return this.source;
  }
}

type MarkupTag = {
  /** The text as it is. */
  (source: string): Markup;
  (strings: TemplateStringsArray, ...values: unknown[]): Markup;
};

/**
 * HTML. Values in a template are escaped, except markup and what shows itself as HTML, SVG or a picture; arrays are
 * joined; null, undefined and false are nothing.
 */
export const html: MarkupTag = markupTag('text/html', source => source, htmlOf);

/** An SVG drawing; values in a template are treated as in `html`. */
export const svg: MarkupTag = markupTag('image/svg+xml', withNamespace, htmlOf);

/** Markdown, with mathematics between `$`. Values stand as their text; the indentation of the template is taken off. */
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

/** HTML of a value that shows itself at once. */
function shownHtml(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const method = (value as Partial<Displayable>)[DISPLAY_METHOD];
  const shown = typeof method === 'function' ? method.call(value) : undefined;
  return shown === undefined || shown instanceof Promise ? undefined : displayedHtml(shown);
}

/** Pages show SVG as a picture, which without its namespace is none. */
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
