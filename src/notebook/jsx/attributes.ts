/** Writes the attributes of an element, given by their names in HTML or in React. */

import { escapeMarkup, textOf } from '../escape.ts';

/** Props that JSX interprets, which are not attributes. */
const RESERVED = new Set(['children', 'key', 'ref', 'dangerouslySetInnerHTML']);
const RENAMED: Readonly<Record<string, string>> = {
  className: 'class',
  htmlFor: 'for',
  acceptCharset: 'accept-charset',
  httpEquiv: 'http-equiv',
  xlinkHref: 'xlink:href'
};
/** Attributes with the values "true" and "false" instead of presence and absence. */
const ENUMERATED = /^(?:aria-|data-)|^(?:contenteditable|draggable|spellcheck|translate)$/i;
/** SVG's presentation attributes, whose hyphens React replaces by capitals; other SVG attributes contain capitals themselves. */
const PRESENTATION =
  /^(?:alignment|baseline|clip|color|dominant|fill|flood|font|image|letter|lighting|marker|paint|pointer|shape|stop|stroke|text|unicode|vector|word|writing)[A-Z]/;
const CAPITALIZED = new Set(['clipPathUnits', 'markerHeight', 'markerUnits', 'markerWidth', 'textLength']);
const ATTRIBUTE_NAME = /^[^\s"'<>/=\p{Cc}]+$/u;
/** CSS properties whose plain numbers are not lengths. */
const UNITLESS =
  /^(?:animation-iteration-count|aspect-ratio|column-count|columns|fill-opacity|flex|flex-grow|flex-shrink|flood-opacity|font-weight|grid-.*|line-clamp|line-height|opacity|order|orphans|scale|stop-opacity|stroke-.*|tab-size|widows|z-index|zoom)$/;

/** Returns the attributes with a space before each; empty if there are none. */
export function attributes(tag: string, props: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const [key, value] of Object.entries(props)) {
    if (RESERVED.has(key)) continue;
    const name = attributeName(key);
    if (!ATTRIBUTE_NAME.test(name)) throw new TypeError(`${JSON.stringify(key)} is not an attribute name`);
    const written = attributeValue(tag, name, value);
    if (written === true) text += ` ${name}`;
    else if (written !== undefined) text += ` ${name}="${escapeMarkup(written)}"`;
  }
  return text;
}

function attributeName(key: string): string {
  if (Object.hasOwn(RENAMED, key)) return RENAMED[key]!;
  return PRESENTATION.test(key) && !CAPITALIZED.has(key) ? hyphenated(key) : key;
}

/** Returns the value: `true` for an attribute without a value, undefined to omit the attribute. */
function attributeValue(tag: string, name: string, value: unknown): string | true | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') {
    if (ENUMERATED.test(name)) return String(value);
    return value ? true : undefined;
  }
  if (typeof value === 'function')
    throw new TypeError(
      `${name} of <${tag}> is a function, but the output is static HTML: use a control of stridelab/widgets`
    );
  if (name === 'style' && typeof value === 'object') return styleText(value);
  if (name === 'class' && Array.isArray(value)) return value.filter(Boolean).join(' ');
  return textOf(value);
}

function styleText(style: object): string {
  const declarations: string[] = [];
  for (const [key, value] of Object.entries(style) as [string, unknown][]) {
    if (value === null || value === undefined || typeof value === 'boolean' || value === '') continue;
    const property = key.startsWith('--') ? key : hyphenated(key);
    const length =
      typeof value === 'number' && value !== 0 && !UNITLESS.test(property) && !key.startsWith('--');
    declarations.push(`${property}:${textOf(value)}${length ? 'px' : ''}`);
  }
  return declarations.join(';');
}

/** Converts `backgroundColor` to `background-color`, `WebkitMask` to `-webkit-mask`. */
const hyphenated = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
