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

/** An image: `value` has its bytes and `format` their format, or with `url` as format, the URL of the image as bytes. */
export class Image extends widgetClass<ImageProperties>(imageSpec) {
  /** Makes an image from a file, whose bytes become part of the state. @throws Error for a file that cannot be read */
  static fromFile(file: string | URL, options: WidgetOptions<ImageProperties> = {}): Image {
    return new Image({ ...read(file), ...options });
  }

  /** Makes an image from a URL, which the page loads. */
  static fromUrl(url: string | URL, options: WidgetOptions<ImageProperties> = {}): Image {
    return new Image({ ...fromUrl(url), ...options });
  }
}

/** A video player. */
export class Video extends widgetClass<VideoProperties>(videoSpec) {
  /** Makes a video player from a file, whose bytes become part of the state. @throws Error for a file that cannot be read */
  static fromFile(file: string | URL, options: WidgetOptions<VideoProperties> = {}): Video {
    return new Video({ ...read(file), ...options });
  }

  /** Makes a video player from a URL, which the page loads. */
  static fromUrl(url: string | URL, options: WidgetOptions<VideoProperties> = {}): Video {
    return new Video({ ...fromUrl(url), ...options });
  }
}

/** An audio player. */
export class Audio extends widgetClass<AudioProperties>(audioSpec) {
  /** Makes an audio player from a file, whose bytes become part of the state. @throws Error for a file that cannot be read */
  static fromFile(file: string | URL, options: WidgetOptions<AudioProperties> = {}): Audio {
    return new Audio({ ...read(file), ...options });
  }

  /** Makes an audio player from a URL, which the page loads. */
  static fromUrl(url: string | URL, options: WidgetOptions<AudioProperties> = {}): Audio {
    return new Audio({ ...fromUrl(url), ...options });
  }
}

/** A button with which the user uploads files; `value` holds them with their contents. */
export class FileUpload extends widgetClass<FileUploadProperties>(fileUploadSpec) {}
