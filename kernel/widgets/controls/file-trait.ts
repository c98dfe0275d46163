/** Files that a page uploads. */

import { list, trait, type Trait } from '../model/traits.ts';
import { asBytes, isPlainObject } from '../model/values.ts';

export interface UploadedFile {
  /** Without a folder. */
  readonly name: string;
  /** The MIME type that the browser gives it; empty where it knows none. */
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  readonly last_modified: Date;
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
