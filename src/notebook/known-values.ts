/** Recognises values of libraries without a display method by their members. */

import { types } from 'node:util';

import { methodOf } from './duck-types.ts';
import type { DisplayResult, MimeBundle } from './host.ts';
import { imageBundle, imageFormat } from './image-format.ts';
import { tableBundle } from './table.ts';
import { isDataFrame } from './table-data.ts';
import { vegaBundle } from './vega.ts';

type Shape = Readonly<Record<string, unknown>>;
type Found = DisplayResult | Promise<DisplayResult> | undefined;

/** Returns the display of a known kind of value; undefined for others. Errors of the value's methods are thrown. */
export function recognise(value: object): Found {
  if (types.isUint8Array(value)) return imageFormat(value) && imageBundle(value);
  const shape = value as Shape;
  return drawing(shape) ?? pageElement(shape) ?? specification(shape) ?? frame(value);
}

/** Shows canvases of node-canvas, skia-canvas, @napi-rs/canvas: `toDataURL()`. */
function drawing(value: Shape): Found {
  const toDataURL = methodOf(value, 'toDataURL');
  if (toDataURL === undefined) return undefined;
  const url = toDataURL();
  return url instanceof Promise ? url.then(dataUrlBundle) : dataUrlBundle(url);
}

function dataUrlBundle(url: unknown): MimeBundle {
  const match = /^data:([^;,]+);base64,/.exec(String(url));
  if (match === null) throw new TypeError('toDataURL() returned no base64 data URL');
  return { 'text/plain': `[${match[1]!}]`, [match[1]!]: String(url).slice(match[0].length) };
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
