/** `image`: a picture from bytes, a file or a URL. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { DISPLAY_METHOD, type Displayable, type DisplayResult, type MimeMetadata } from './host.ts';
import { imageBundle, imageFormat } from './image-format.ts';
import { svg } from './markup.ts';

/** Options of `image`. */
export interface ImageOptions {
  /** The width on the page in CSS pixels; if only one of width and height is given, the image keeps its proportions. */
  readonly width?: number;
  /** The height on the page in CSS pixels; if only one of width and height is given, the image keeps its proportions. */
  readonly height?: number;
  /** The background behind transparent images. */
  readonly background?: 'light' | 'dark';
}

type Source = Uint8Array | ArrayBuffer | Blob;

class Picture implements Displayable {
  readonly #read: () => Source | Promise<Source>;
  readonly #name: string;
  readonly #options: ImageOptions;

  constructor(read: () => Source | Promise<Source>, name: string, options: ImageOptions) {
    this.#read = read;
    this.#name = name;
    this.#options = options;
  }

  [DISPLAY_METHOD](): DisplayResult | Promise<DisplayResult> {
    const source = this.#read();
    return source instanceof Promise || source instanceof Blob
      ? Promise.resolve(source)
          .then(bytesOf)
          .then(bytes => this.#shown(bytes))
      : this.#shown(source instanceof ArrayBuffer ? new Uint8Array(source) : source);
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `[image of ${this.#name}]`;
  }

  #shown(bytes: Uint8Array): DisplayResult {
    const format = imageFormat(bytes);
    if (format !== undefined)
      return [imageBundle(bytes, format), displaySize(format.type, format.size, this.#options)];
    const text = Buffer.from(bytes.subarray(0, 1_000)).toString();
    if (/^\s*(<\?xml[^]*?)?(<!--[^]*?-->\s*)?(<!doctype svg[^>]*>\s*)?<svg[\s>]/i.test(text))
      return svg(Buffer.from(bytes).toString()).data;
    const first = Buffer.from(bytes.subarray(0, 8)).toString('hex');
    throw new TypeError(
      bytes.length === 0
        ? `${this.#name} is empty`
        : `${this.#name} is not a PNG, JPEG, GIF, WebP or SVG: it begins with the bytes ${first}`
    );
  }
}

/**
 * Makes a displayable PNG, JPEG, GIF, WebP or SVG. `source` is its bytes, the path of a file (read now), or a URL (`http:`, `https:`,
 * `data:`, `file:`; read when shown). The image is stored in the notebook.
 * @throws an error of the file system for a file that cannot be read
 */
export function image(source: Source | string | URL, options: ImageOptions = {}): Displayable {
  if (typeof source !== 'string' && !(source instanceof URL))
    return new Picture(() => source, 'the picture', options);
  const name = String(source);
  if (/^(https?|data):/i.test(name))
    return new Picture(() => download(name), name.startsWith('data:') ? 'the data URL' : name, options);
  const bytes = readFileSync(/^file:/i.test(name) ? fileURLToPath(name) : name);
  return new Picture(() => bytes, name, options);
}

async function download(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

async function bytesOf(source: Source): Promise<Uint8Array> {
  if (source instanceof Blob) return new Uint8Array(await source.arrayBuffer());
  return source instanceof ArrayBuffer ? new Uint8Array(source) : source;
}

function displaySize(
  type: string,
  size: { width: number; height: number } | null,
  { width, height, background }: ImageOptions
): MimeMetadata {
  const ratio = size === null || size.height === 0 ? NaN : size.width / size.height;
  const scaled = (length: number): number | undefined =>
    Number.isNaN(length) ? undefined : Math.round(length);
  const metadata = {
    width: width ?? scaled((height ?? NaN) * ratio),
    height: height ?? scaled((width ?? NaN) / ratio),
    needs_background: background
  };
  const given = Object.entries(metadata).filter(([, value]) => value !== undefined);
  return given.length === 0 ? {} : { [type]: Object.fromEntries(given) };
}
