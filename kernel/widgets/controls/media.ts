/** Images, videos, sounds and uploaded files. */

import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { widgetClass, type WidgetClass } from '../model/widget-class.ts';
import type { WidgetOptions } from '../model/widget.ts';
import type { WidgetSpec } from '../model/widget-spec.ts';
import * as specs from './media.generated.ts';

/** File extensions that differ from the format's name in the MIME type. */
const FORMATS: Readonly<Record<string, string>> = {
  jpg: 'jpeg',
  svg: 'svg+xml',
  ico: 'x-icon',
  tif: 'tiff',
  ogv: 'ogg',
  oga: 'ogg',
  mov: 'quicktime',
  m4a: 'mp4'
};

interface Media {
  readonly format: string;
  readonly value: Uint8Array;
}

/** Reads the bytes and the format of a file; a path, or a URL with the scheme `file:`. */
function read(file: string | URL): Media {
  const ending = extname(file instanceof URL ? file.pathname : file)
    .slice(1)
    .toLowerCase();
  return { value: readFileSync(file), format: FORMATS[ending] ?? ending };
}

interface MediaClass<Properties extends object> extends WidgetClass<Properties> {
  /** Makes the widget from a file, whose bytes become part of the state. @throws Error for a file that cannot be read */
  fromFile<Made>(
    this: new (options: WidgetOptions<Properties>) => Made,
    file: string | URL,
    options?: WidgetOptions<Properties>
  ): Made;

  /** Makes the widget from a URL, from which the page loads the data. */
  fromUrl<Made>(
    this: new (options: WidgetOptions<Properties>) => Made,
    url: string | URL,
    options?: WidgetOptions<Properties>
  ): Made;
}

type AnyMedia = new (options: Media) => unknown;

function mediaClass<Properties extends Media>(spec: WidgetSpec<Properties>): MediaClass<Properties> {
  return Object.assign(widgetClass(spec), {
    fromFile(this: AnyMedia, file: string | URL, options?: object) {
      return new this({ ...read(file), ...options });
    },
    fromUrl(this: AnyMedia, url: string | URL, options?: object) {
      return new this({ value: Buffer.from(String(url)), format: 'url', ...options });
    }
  }) as unknown as MediaClass<Properties>;
}

/** An image: `value` has its bytes, and `format` their format; if `format` is `url`, `value` has the bytes of the URL. */
export class Image extends mediaClass(specs.imageSpec) {}

/** A video player. */
export class Video extends mediaClass(specs.videoSpec) {}

/** An audio player. */
export class Audio extends mediaClass(specs.audioSpec) {}

/** A button with which the user uploads files; `value` has the files and their contents. */
export class FileUpload extends widgetClass(specs.fileUploadSpec) {}
