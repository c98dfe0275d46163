/** Pictures, films, sounds and files. */

import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { widgetClass } from '../model/widget-class.ts';
import type { WidgetOptions } from '../model/widget.ts';
import {
  audioSpec,
  fileUploadSpec,
  imageSpec,
  videoSpec,
  type AudioProperties,
  type FileUploadProperties,
  type ImageProperties,
  type VideoProperties
} from './media.generated.ts';

/** File name endings that are not the format's own name, as the MIME type has it. */
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

/** The bytes and the format of a file; a path, or a URL with the scheme `file:`. */
function read(file: string | URL): Media {
  const ending = extname(file instanceof URL ? file.pathname : file)
    .slice(1)
    .toLowerCase();
  return { value: readFileSync(file), format: FORMATS[ending] ?? ending };
}

/** What the page loads by itself, from where it is. */
function fromUrl(url: string | URL): Media {
  return { value: Buffer.from(String(url)), format: 'url' };
}

/** A picture: its bytes, in the format that `format` names; with `url` they are the text of an address. */
export class Image extends widgetClass<ImageProperties>(imageSpec) {
  static fromFile(file: string | URL, options: WidgetOptions<ImageProperties> = {}): Image {
    return new Image({ ...read(file), ...options });
  }

  static fromUrl(url: string | URL, options: WidgetOptions<ImageProperties> = {}): Image {
    return new Image({ ...fromUrl(url), ...options });
  }
}

/** A film. */
export class Video extends widgetClass<VideoProperties>(videoSpec) {
  static fromFile(file: string | URL, options: WidgetOptions<VideoProperties> = {}): Video {
    return new Video({ ...read(file), ...options });
  }

  static fromUrl(url: string | URL, options: WidgetOptions<VideoProperties> = {}): Video {
    return new Video({ ...fromUrl(url), ...options });
  }
}

/** A sound. */
export class Audio extends widgetClass<AudioProperties>(audioSpec) {
  static fromFile(file: string | URL, options: WidgetOptions<AudioProperties> = {}): Audio {
    return new Audio({ ...read(file), ...options });
  }

  static fromUrl(url: string | URL, options: WidgetOptions<AudioProperties> = {}): Audio {
    return new Audio({ ...fromUrl(url), ...options });
  }
}

/** A button by which files come from the reader's machine; `value` holds them with their bytes. */
export class FileUpload extends widgetClass<FileUploadProperties>(fileUploadSpec) {}
