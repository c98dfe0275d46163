/** The static form of a picture, as a notebook saves it. Pure: the kernel writes it, and the page keeps it up to date. */

import { PICTURE_MIME_TYPE, type PictureTexts, type StaticPicture } from './live-messages.ts';
import { ARRAY_MIME_TYPE } from './live-messages.ts';

/** Builds the MIME bundle. `view` is the picture's name in the catalogue of views. */
export function staticBundle(
  view: string,
  picture: unknown,
  { html, text }: PictureTexts
): Record<string, unknown> {
  const drawn =
    view === 'ArrayInspector'
      ? { [ARRAY_MIME_TYPE]: picture }
      : { [PICTURE_MIME_TYPE]: { view, picture } satisfies StaticPicture };
  return { ...drawn, 'text/html': html, 'text/plain': text };
}
