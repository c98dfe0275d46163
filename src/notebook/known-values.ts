/** Recognises values of libraries without a display method by their members. */

import { types } from 'node:util';

import { methodOf } from './duck-types.ts';
import type { DisplayResult, MimeBundle } from './host.ts';
import { imageBundle, imageFormat } from './image-format.ts';
import { pictureOf } from './known-pictures.ts';
import { tableBundle } from './table.ts';
import { isDataFrame } from './table-data.ts';
import { vegaBundle } from './vega.ts';

type Shape = Readonly<Record<string, unknown>>;
type Found = DisplayResult | Promise<DisplayResult> | undefined;

/** Returns the display of a known kind of value; undefined for others. Errors of the value's methods are thrown. */
export function recognise(value: object): Found {
  if (types.isUint8Array(value)) return imageFormat(value) && imageBundle(value);
  const shape = value as Shape;
  return pictureOf(value) ?? pageElement(shape) ?? specification(shape) ?? frame(value);
}

/** Shows elements of jsdom, linkedom, deno-dom and similar libraries. */
function pageElement(value: Shape): MimeBundle | undefined {
  if (!('outerHTML' in value) || typeof value['outerHTML'] !== 'string') return undefined;
  const source = value['outerHTML'];
  return { [/^<svg[\s>]/i.test(source) ? 'image/svg+xml' : 'text/html']: source, 'text/plain': source };
}

/** Shows specifications of Vega and Vega-Lite, and builders that return one. */
function specification(value: Shape): MimeBundle | undefined {
  const toSpec = methodOf(value, 'toSpec');
  return vegaBundle(toSpec === undefined ? value : toSpec());
}

/** Shows data frames of nodejs-polars, arquero, Arrow. */
function frame(value: object): MimeBundle | undefined {
  return isDataFrame(value) ? tableBundle(value) : undefined;
}
