/** `Deno.readDir`, `Deno.stat`, `Deno.mkdir` and the other calls for folders and for facts about files. */

import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { fileInfo, kindOf, type DirEntry, type FileInfo } from './file-info.ts';
import { blocking, waiting } from './system-calls.ts';

export type { DirEntry, FileInfo };

/** Options of `Deno.mkdir`. */
export interface MkdirOptions {
  /** Whether to create missing parents, and to accept a folder that exists. Default: false. */
  readonly recursive?: boolean;
  /** The permissions of the folder. */
  readonly mode?: number;
}

/** Options of `Deno.remove`. */
export interface RemoveOptions {
  /** Whether to remove a folder with all that it contains. Default: false. */
  readonly recursive?: boolean;
}

/** Options of `Deno.makeTempDir` and `Deno.makeTempFile`. */
export interface MakeTempOptions {
  /** The folder in which to create it. Default: the system's folder for temporary files. */
  readonly dir?: string;
  readonly prefix?: string;
  readonly suffix?: string;
}

/** Yields the entries of a folder, in no particular order. */
export async function* readDir(path: string | URL): AsyncIterable<DirEntry> {
  yield* (await waiting(() => fs.promises.readdir(path, { withFileTypes: true }))).map(entryOf);
}

/** Yields the entries of a folder, in no particular order. */
export function* readDirSync(path: string | URL): Iterable<DirEntry> {
  yield* blocking(() => fs.readdirSync(path, { withFileTypes: true })).map(entryOf);
}

/** Returns facts about a file or folder; of a link, about its target. */
export function stat(path: string | URL): Promise<FileInfo> {
  return waiting(async () => fileInfo(await fs.promises.stat(path)));
}

/** Returns facts about a file or folder; of a link, about its target. */
export function statSync(path: string | URL): FileInfo {
  return blocking(() => fileInfo(fs.statSync(path)));
}

/** Returns facts about a file, folder or link. */
export function lstat(path: string | URL): Promise<FileInfo> {
  return waiting(async () => fileInfo(await fs.promises.lstat(path)));
}

/** Returns facts about a file, folder or link. */
export function lstatSync(path: string | URL): FileInfo {
  return blocking(() => fileInfo(fs.lstatSync(path)));
}

/** Creates a folder. */
export async function mkdir(path: string | URL, options: MkdirOptions = {}): Promise<void> {
  await waiting(() => fs.promises.mkdir(path, options));
}

/** Creates a folder. */
export function mkdirSync(path: string | URL, options: MkdirOptions = {}): void {
  blocking(() => fs.mkdirSync(path, options));
}

/** Removes a file or an empty folder; with `recursive` also what the folder contains. */
export function remove(path: string | URL, { recursive = false }: RemoveOptions = {}): Promise<void> {
  return waiting(async () => {
    if (!recursive && (await fs.promises.lstat(path)).isDirectory()) await fs.promises.rmdir(path);
    else await fs.promises.rm(path, { recursive });
  });
}

/** Removes a file or an empty folder; with `recursive` also what the folder contains. */
export function removeSync(path: string | URL, { recursive = false }: RemoveOptions = {}): void {
  blocking(() => {
    if (!recursive && fs.lstatSync(path).isDirectory()) fs.rmdirSync(path);
    else fs.rmSync(path, { recursive });
  });
}

/** Returns the absolute path without links. */
export function realPath(path: string | URL): Promise<string> {
  return waiting(() => fs.promises.realpath(path));
}

/** Returns the absolute path without links. */
export function realPathSync(path: string | URL): string {
  return blocking(() => fs.realpathSync(path));
}

/** Creates a symbolic link at `newPath` that leads to `oldPath`. */
export function symlink(oldPath: string | URL, newPath: string | URL): Promise<void> {
  return waiting(() => fs.promises.symlink(oldPath, newPath));
}

/** Creates a symbolic link at `newPath` that leads to `oldPath`. */
export function symlinkSync(oldPath: string | URL, newPath: string | URL): void {
  blocking(() => fs.symlinkSync(oldPath, newPath));
}

/** Returns where a symbolic link leads. */
export function readLink(path: string | URL): Promise<string> {
  return waiting(() => fs.promises.readlink(path));
}

/** Returns where a symbolic link leads. */
export function readLinkSync(path: string | URL): string {
  return blocking(() => fs.readlinkSync(path));
}

/** Creates a folder with a new name, and returns its path. */
export async function makeTempDir(options: MakeTempOptions = {}): Promise<string> {
  const path = newPath(options);
  await mkdir(path, { mode: 0o700 });
  return path;
}

/** Creates a folder with a new name, and returns its path. */
export function makeTempDirSync(options: MakeTempOptions = {}): string {
  const path = newPath(options);
  mkdirSync(path, { mode: 0o700 });
  return path;
}

/** Creates an empty file with a new name, and returns its path. */
export async function makeTempFile(options: MakeTempOptions = {}): Promise<string> {
  const path = newPath(options);
  await waiting(() => fs.promises.writeFile(path, '', { flag: 'wx', mode: 0o600 }));
  return path;
}

/** Creates an empty file with a new name, and returns its path. */
export function makeTempFileSync(options: MakeTempOptions = {}): string {
  const path = newPath(options);
  blocking(() => fs.writeFileSync(path, '', { flag: 'wx', mode: 0o600 }));
  return path;
}

function newPath({ dir = tmpdir(), prefix = '', suffix = '' }: MakeTempOptions): string {
  return join(dir, `${prefix}${randomUUID().slice(0, 8)}${suffix}`);
}

function entryOf(entry: fs.Dirent): DirEntry {
  return { name: entry.name, ...kindOf(entry) };
}
