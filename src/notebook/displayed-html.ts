/** What a display method gave, as HTML within other HTML. */

import { escapeMarkup } from './escape.ts';
import type { DisplayResult, MimeBundle } from './host.ts';

/** HTML, SVG or a picture of the bundle; undefined where it has none. */
export function displayedHtml(shown: DisplayResult): string | undefined {
  const bundle = (Array.isArray(shown) ? shown[0] : shown) as MimeBundle;
  const markup = bundle['text/html'] ?? bundle['image/svg+xml'];
  if (typeof markup === 'string') return markup;
  for (const [type, content] of Object.entries(bundle))
    if (type.startsWith('image/') && typeof content === 'string')
      return `<img src="data:${escapeMarkup(type)};base64,${escapeMarkup(content)}">`;
  return undefined;
}

/** Its text; empty where it has none. */
export function displayedText(shown: DisplayResult): string {
  const text = ((Array.isArray(shown) ? shown[0] : shown) as MimeBundle)['text/plain'];
  return typeof text === 'string' ? text : '';
}
