/** Renders elements to HTML. Asynchronous parts are awaited concurrently. */

import { displayedHtml, displayedText } from '../displayed-html.ts';
import { isPromiseLike, methodOf } from '../duck-types.ts';
import { DISPLAY_METHOD, type DisplayResult } from '../host.ts';
import { attributes } from './attributes.ts';
import { escapeMarkup, textOf } from '../escape.ts';

/** HTML, or a promise of it if a part is asynchronous. */
export type Html = string | Promise<string>;

/** The method that renders an element of this runtime: synchronously if no part of it is asynchronous. */
export const RENDER: unique symbol = Symbol.for('stridelab.jsx-render') as never;

/** Void elements, which have no content and no end tag: HTML, section 13.1.2. */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Elements whose text is not parsed for entities. */
const RAW_TEXT = new Set(['script', 'style']);
const TAG = /^[a-zA-Z][\w:.-]*$/;

export function renderElement(tag: string, props: Readonly<Record<string, unknown>>): Html {
  if (!TAG.test(tag)) throw new TypeError(`${JSON.stringify(tag)} is not an element name`);
  const start = `<${tag}${attributes(tag, props)}>`;
  const raw = rawHtml(tag, props);
  const { children } = props;
  const empty = raw === undefined && (children === undefined || children === null);
  if (VOID.has(tag)) {
    if (!empty) throw new TypeError(`<${tag}> is a void element, which has no content`);
    return start;
  }
  if (raw !== undefined && children !== undefined)
    throw new TypeError(`<${tag}> has both children and dangerouslySetInnerHTML: pass one of them`);
  const content = raw ?? (RAW_TEXT.has(tag) ? rawText(tag, children) : renderChild(children));
  const whole = (inner: string): string => `${start}${inner}</${tag}>`;
  return typeof content === 'string' ? whole(content) : content.then(whole);
}

export function renderChild(child: unknown): Html {
  if (typeof child === 'string') return escapeMarkup(child);
  if (child === null || child === undefined || typeof child === 'boolean') return '';
  if (typeof child !== 'object' && typeof child !== 'function') return escapeMarkup(textOf(child));
  if (isPromiseLike(child)) return Promise.resolve(child).then(renderChild);
  if (RENDER in child) return (child as { [RENDER](): Html })[RENDER]();
  const display = methodOf(child, DISPLAY_METHOD);
  if (display !== undefined) return displayed(display() as DisplayResult | Promise<DisplayResult>);
  if (Symbol.iterator in child) return joined(Array.from(child as Iterable<unknown>, renderChild));
  if (typeof child === 'function')
    throw new TypeError(
      `A function (${child.name || 'without a name'}) cannot be shown in JSX: call it, or write it as <Component/>`
    );
  return escapeMarkup(textOf(child));
}

/** Renders a value with a display method as a notebook would show it in HTML. */
function displayed(shown: DisplayResult | Promise<DisplayResult>): Html {
  const html = (result: DisplayResult): string =>
    displayedHtml(result) ?? escapeMarkup(displayedText(result));
  return shown instanceof Promise ? shown.then(html) : html(shown);
}

function joined(parts: readonly Html[]): Html {
  return parts.every(part => typeof part === 'string')
    ? parts.join('')
    : Promise.all(parts.map(async part => part)).then(all => all.join(''));
}

function rawHtml(tag: string, props: Readonly<Record<string, unknown>>): string | undefined {
  const given = props['dangerouslySetInnerHTML'];
  if (given === undefined || given === null) return undefined;
  const html = (given as { __html?: unknown }).__html;
  if (typeof html !== 'string')
    throw new TypeError(`dangerouslySetInnerHTML of <${tag}> must be { __html: string }`);
  return html;
}

/** Does not escape, since entities are not parsed in these elements; only the end tag must not occur. */
function rawText(tag: string, children: unknown): string {
  const text = [children].flat(Infinity).filter(part => part !== null && typeof part !== 'boolean');
  return text.join('').replace(new RegExp(`</(?=${tag})`, 'gi'), '<\\/');
}
