/** Recognises canvases, charts and images of libraries without a display method by their members. */

import { methodOf } from './duck-types.ts';
import type { MimeBundle } from './host.ts';
import { imageBundle } from './image-format.ts';

type Picture = MimeBundle | Promise<MimeBundle>;
type Method = (...given: unknown[]) => unknown;
type Draw = (value: object, method: Method) => unknown;

/** A kind of value: the method that draws it, other members that it has, and how to draw it. */
const KINDS: readonly (readonly [method: string, others: readonly string[], draw: Draw])[] = [
  // Canvases of node-canvas, skia-canvas and @napi-rs/canvas. Tensors have `toDataURL` too.
  ['toDataURL', ['getContext', 'width', 'height'], (_, toDataURL) => toDataURL()],
  // Charts of Chart.js.
  ['toBase64Image', ['canvas', 'config'], (_, toBase64Image) => toBase64Image()],
  // Charts of ECharts, if they draw SVG.
  ['renderToSVGString', ['setOption', 'getZr'], (_, renderToSvg) => renderToSvg()],
  // Views of Vega.
  ['toSVG', ['runAsync', 'signal'], (_, toSvg) => toSvg()],
  // Images of Jimp.
  ['getBuffer', ['bitmap', 'getPixelColor'], (_, getBuffer) => getBuffer('image/png')],
  // Images of sharp; a copy, because an image can be written once.
  ['toBuffer', ['metadata', 'clone', 'png'], value => (value as SharpImage).clone().png().toBuffer()]
];

interface SharpImage {
  clone(): SharpImage;
  png(): SharpImage;
  toBuffer(): Promise<Buffer>;
}

/** Returns the picture of a canvas, a chart or an image; undefined for other values. */
export function pictureOf(value: object): Picture | undefined {
  for (const [name, others, draw] of KINDS) {
    const method = others.every(other => other in value) ? methodOf(value, name) : undefined;
    if (method === undefined) continue;
    const drawn = draw(value, method);
    return drawn instanceof Promise ? drawn.then(bundleOf) : bundleOf(drawn);
  }
  return undefined;
}

/** Returns the bundle of SVG, of a data URL or of an image's bytes. */
function bundleOf(drawn: unknown): MimeBundle {
  if (drawn instanceof Uint8Array) return imageBundle(drawn);
  const source = String(drawn);
  if (/^<svg[\s/>]/.test(source)) return { 'image/svg+xml': source, 'text/plain': '[SVG image]' };
  const [prefix, type] = /^data:([^;,]+);base64,/.exec(source) ?? [];
  if (prefix === undefined || type === undefined) throw new TypeError('the picture is no base64 data URL');
  return { 'text/plain': `[${type}]`, [type]: source.slice(prefix.length) };
}
