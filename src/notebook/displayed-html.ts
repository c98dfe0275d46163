/** Converts the result of a display method to HTML or text inside other HTML. */

import { escapeMarkup } from './escape.ts';
import type { DisplayResult, MimeBundle } from './host.ts';

/** Returns HTML, SVG or an image of the bundle; undefined if it has none. */
export function displayedHtml(shown: DisplayResult): string | undefined {
  const bundle = (Array.isArray(shown) ? shown[0] : shown) as MimeBundle;
  const markup = bundle['text/html'] ?? bundle['image/svg+xml'];
  if (typeof markup === 'string') return markup;
  for (const [type, content] of Object.entries(bundle))
    if (type.startsWith('image/') && typeof content === 'string')
      return `<img src="data:${escapeMarkup(type)};base64,${escapeMarkup(content)}">`;
  return undefined;
}

/** Returns the bundle's text; empty if it has none. */
export function displayedText(shown: DisplayResult): string {
  const text = ((Array.isArray(shown) ? shown[0] : shown) as MimeBundle)['text/plain'];
  return typeof text === 'string' ? text : '';
}
