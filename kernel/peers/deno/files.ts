/** `Deno.readTextFile`, `Deno.writeFile` and the other calls for whole files. */

import * as fs from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { blocking, waiting } from './system-calls.ts';

/** Options of `Deno.readFile` and `Deno.readTextFile`. */
export interface ReadFileOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal;
}

/** Options of `Deno.writeFile` and `Deno.writeTextFile`. */
export interface WriteFileOptions {
  /** Whether to write after the end of the file. Default: false. */
  readonly append?: boolean;
  /** Whether to create a file that does not exist. Default: true. */
  readonly create?: boolean;
  /** Whether the file must not exist. Default: false. */
  readonly createNew?: boolean;
  /** The permissions of a new file. */
  readonly mode?: number;
  /** Aborts the call. */
  readonly signal?: AbortSignal;
}

/** Returns the content of a file as UTF-8 text. */
export function readTextFile(path: string | URL, options: ReadFileOptions = {}): Promise<string> {
  return waiting(() => fs.promises.readFile(path, { encoding: 'utf8', ...options }));
}

/** Returns the content of a file as UTF-8 text. */
export function readTextFileSync(path: string | URL): string {
  return blocking(() => fs.readFileSync(path, 'utf8'));
}

/** Returns the bytes of a file. */
export function readFile(
  path: string | URL,
  options: ReadFileOptions = {}
): Promise<Uint8Array<ArrayBuffer>> {
  return waiting(async () => plain(await fs.promises.readFile(path, options)));
}

/** Returns the bytes of a file. */
export function readFileSync(path: string | URL): Uint8Array<ArrayBuffer> {
  return blocking(() => plain(fs.readFileSync(path)));
}

/** Writes text to a file, which is replaced unless `append` is set. */
export function writeTextFile(
  path: string | URL,
  data: string | ReadableStream<string>,
  options: WriteFileOptions = {}
): Promise<void> {
  return write(path, data, options);
}

/** Writes text to a file, which is replaced unless `append` is set. */
export function writeTextFileSync(path: string | URL, data: string, options: WriteFileOptions = {}): void {
  blocking(() => fs.writeFileSync(path, data, nodeOptions(options)));
}

/** Writes bytes to a file, which is replaced unless `append` is set. */
export function writeFile(
  path: string | URL,
  data: Uint8Array | ReadableStream<Uint8Array>,
  options: WriteFileOptions = {}
): Promise<void> {
  return write(path, data, options);
}

/** Writes bytes to a file, which is replaced unless `append` is set. */
export function writeFileSync(path: string | URL, data: Uint8Array, options: WriteFileOptions = {}): void {
  blocking(() => fs.writeFileSync(path, data, nodeOptions(options)));
}

/** Copies a file, and replaces the target. */
export function copyFile(from: string | URL, to: string | URL): Promise<void> {
  return waiting(() => fs.promises.copyFile(from, to));
}

/** Copies a file, and replaces the target. */
export function copyFileSync(from: string | URL, to: string | URL): void {
  blocking(() => fs.copyFileSync(from, to));
}

/** Renames a file or folder. */
export function rename(from: string | URL, to: string | URL): Promise<void> {
  return waiting(() => fs.promises.rename(from, to));
}

/** Renames a file or folder. */
export function renameSync(from: string | URL, to: string | URL): void {
  blocking(() => fs.renameSync(from, to));
}

/** Sets the permissions of a file or folder. */
export function chmod(path: string | URL, mode: number): Promise<void> {
  return waiting(() => fs.promises.chmod(path, mode));
}

/** Sets the permissions of a file or folder. */
export function chmodSync(path: string | URL, mode: number): void {
  blocking(() => fs.chmodSync(path, mode));
}

/** Shortens a file, or extends it with zeros. */
export function truncate(path: string, length = 0): Promise<void> {
  return waiting(() => fs.promises.truncate(path, length));
}

/** Shortens a file, or extends it with zeros. */
export function truncateSync(path: string, length = 0): void {
  blocking(() => fs.truncateSync(path, length));
}

function write(
  path: string | URL,
  data: string | Uint8Array | ReadableStream<string | Uint8Array>,
  options: WriteFileOptions
): Promise<void> {
  const { signal } = options;
  return waiting(() =>
    data instanceof ReadableStream
      ? pipeline(data, fs.createWriteStream(path, nodeOptions(options)), { ...(signal && { signal }) })
      : fs.promises.writeFile(path, data, { ...nodeOptions(options), ...(signal && { signal }) })
  );
}

function nodeOptions({ append = false, create = true, createNew = false, mode }: WriteFileOptions): {
  flags: string;
  flag: string;
  mode?: number;
} {
  const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_TRUNC } = fs.constants;
  const bits =
    O_WRONLY | (create || createNew ? O_CREAT : 0) | (createNew ? O_EXCL : 0) | (append ? O_APPEND : O_TRUNC);
  // Node's types allow only text, but the calls take the bits as well.
  const flag = bits as unknown as string;
  return { flag, flags: flag, ...(mode !== undefined && { mode }) };
}

/** Returns the bytes without the methods of `Buffer`, as Deno does. */
function plain(bytes: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}
