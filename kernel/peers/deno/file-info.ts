/** What `Deno.stat` and `Deno.readDir` return. */

import type { Dirent, Stats } from 'node:fs';

interface FileKind {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly isSymlink: boolean;
}

/** An entry of a folder. */
export interface DirEntry extends FileKind {
  readonly name: string;
}

/** Facts about a file or folder. */
export interface FileInfo extends FileKind {
  /** The size in bytes. */
  readonly size: number;
  /** When the content was last changed. */
  readonly mtime: Date | null;
  /** When the file was last read. */
  readonly atime: Date | null;
  /** When the file was created. */
  readonly birthtime: Date | null;
  /** When the content or the permissions were last changed. */
  readonly ctime: Date | null;
  readonly dev: number;
  readonly ino: number;
  readonly mode: number;
  readonly nlink: number;
  readonly uid: number;
  readonly gid: number;
  readonly rdev: number;
  readonly blksize: number;
  readonly blocks: number;
}

export function kindOf(entry: Dirent | Stats): FileKind {
  return {
    isFile: entry.isFile(),
    isDirectory: entry.isDirectory(),
    isSymlink: entry.isSymbolicLink()
  };
}

export function fileInfo(stats: Stats): FileInfo {
  const { size, mtime, atime, birthtime, ctime, dev, ino, mode, nlink, uid, gid, rdev, blksize, blocks } =
    stats;
  const times = { mtime, atime, birthtime, ctime };
  return { ...kindOf(stats), size, ...times, dev, ino, mode, nlink, uid, gid, rdev, blksize, blocks };
}
