/** The trait of files that a page uploads. */

import { list, trait, type Trait } from '../model/traits.ts';
import { asBytes, isPlainObject } from '../model/values.ts';

/** A file from the user's computer. */
export interface UploadedFile {
  /** The file name without folders. */
  readonly name: string;
  /** The MIME type according to the browser; empty if unknown. */
  readonly type: string;
  /** The size in bytes. */
  readonly size: number;
  /** When the file was last changed. */
  readonly last_modified: Date;
  /** The contents. */
  readonly content: Uint8Array;
}

const EMPTY: UploadedFile = {
  name: '',
  type: '',
  size: 0,
  last_modified: new Date(0),
  content: new Uint8Array()
};

export function uploadedFiles(): Trait<readonly UploadedFile[]> {
  return list<UploadedFile>({
    ...trait<UploadedFile>(() => EMPTY, checkFile),
    toJson: file => ({ ...file, last_modified: file.last_modified.getTime() }),
    fromJson: json =>
      isPlainObject(json) ? { ...json, last_modified: new Date(json['last_modified'] as number) } : json
  });
}

function checkFile(value: unknown, what: string): UploadedFile {
  if (isPlainObject(value)) {
    const { name, type = '', last_modified = new Date(), content } = value;
    const found = asBytes(content);
    if (
      typeof name === 'string' &&
      typeof type === 'string' &&
      last_modified instanceof Date &&
      found !== undefined
    )
      return { name, type, size: found.length, last_modified, content: found.slice() };
  }
  throw new TypeError(`${what} must be a file with name, type, last_modified (a Date) and content (bytes)`);
}
