/** Recognises image formats, and reads their sizes, from the first bytes. */

import type { MimeBundle } from './host.ts';

export interface ImageFormat {
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** The size in pixels; null if the bytes end before it. */
  readonly size: { readonly width: number; readonly height: number } | null;
}

type Size = ImageFormat['size'];

const FORMATS: readonly (readonly [
  type: ImageFormat['type'],
  signature: RegExp,
  sizeOf: (view: Buffer) => Size
])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/, pngSize],
  ['image/jpeg', /^\xff\xd8\xff/, jpegSize],
  ['image/gif', /^GIF8[79]a/, gifSize],
  ['image/webp', /^RIFF[^]{4}WEBP/, webpSize]
];

/** Returns the format of an image that pages can show; undefined for other bytes. */
export function imageFormat(bytes: Uint8Array): ImageFormat | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const beginning = view.toString('latin1', 0, 12);
  const [type, , sizeOf] = FORMATS.find(([, signature]) => signature.test(beginning)) ?? [];
  return type && sizeOf && { type, size: sizeOf(view) };
}

/** Makes the bundle of an image; its text names format and size. */
export function imageBundle(bytes: Uint8Array, format = imageFormat(bytes)): MimeBundle {
  const { type, size } = format!;
  const extent = size === null ? '' : `, ${size.width} × ${size.height}`;
  const name = type.slice('image/'.length).toUpperCase();
  return {
    [type]: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
    'text/plain': `[${name} image${extent}, ${bytes.byteLength.toLocaleString('en')} bytes]`
  };
}

function pngSize(view: Buffer): Size {
  return view.length < 24 ? null : { width: view.readUInt32BE(16), height: view.readUInt32BE(20) };
}

function gifSize(view: Buffer): Size {
  return view.length < 10 ? null : { width: view.readUInt16LE(6), height: view.readUInt16LE(8) };
}

/** Walks the segments to the frame header (ITU T.81, B.2.2). */
function jpegSize(view: Buffer): Size {
  let position = 2;
  while (position + 9 <= view.length && view[position] === 0xff) {
    const marker = view[position + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.readUInt16BE(position + 7), height: view.readUInt16BE(position + 5) };
    // Fill bytes may precede a marker.
    position += marker === 0xff ? 1 : 2 + view.readUInt16BE(position + 2);
  }
  return null;
}

/** Reads the size from the three kinds of WebP: extended, lossless, lossy. */
function webpSize(view: Buffer): Size {
  if (view.length < 30) return null;
  switch (view.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: 1 + view.readUIntLE(24, 3), height: 1 + view.readUIntLE(27, 3) };
    case 'VP8L': {
      const bits = view.readUInt32LE(21);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    default:
      return { width: view.readUInt16LE(26) & 0x3fff, height: view.readUInt16LE(28) & 0x3fff };
  }
}
