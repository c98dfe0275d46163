/** `Deno.open` and `Deno.create`: files that are read and written in parts. */

import * as fs from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { fileInfo, type FileInfo } from './file-info.ts';
import { blocking, waiting } from './system-calls.ts';

/** Options of `Deno.open`. */
export interface OpenOptions {
  /** Whether the file is read. True if no options are given. */
  readonly read?: boolean;
  readonly write?: boolean;
  /** Whether to write after the end of the file. */
  readonly append?: boolean;
  /** Whether to empty the file first. */
  readonly truncate?: boolean;
  /** Whether to create a file that does not exist. */
  readonly create?: boolean;
  /** Whether the file must not exist. */
  readonly createNew?: boolean;
  /** The permissions of a new file. */
  readonly mode?: number;
}

const calls = {
  open: promisify(fs.open),
  read: promisify(fs.read),
  write: promisify(fs.write),
  fstat: promisify(fs.fstat),
  ftruncate: promisify(fs.ftruncate),
  fsync: promisify(fs.fsync)
};

/** An open file. Close it, declare it with `using`, or read or write it to its end as a stream. */
export class FsFile implements Disposable {
  readonly #fd: number;
  #readable: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  #writable: WritableStream<Uint8Array> | undefined;
  /** The stream that closes the file at its end. */
  #stream: Readable | Writable | undefined;

  /** Use `Deno.open`. */
  constructor(fd: number) {
    this.#fd = fd;
  }

  /** The rest of the file as a stream, which closes it at its end. */
  get readable(): ReadableStream<Uint8Array<ArrayBuffer>> {
    if (this.#readable === undefined) {
      const stream = fs.createReadStream('', { fd: this.#fd });
      this.#stream = stream;
      this.#readable = Readable.toWeb(stream) as ReadableStream<Uint8Array<ArrayBuffer>>;
    }
    return this.#readable;
  }

  /** A stream that writes to the file, and closes it when it is closed. */
  get writable(): WritableStream<Uint8Array> {
    if (this.#writable === undefined) {
      const stream = fs.createWriteStream('', { fd: this.#fd });
      this.#stream = stream;
      this.#writable = Writable.toWeb(stream) as WritableStream<Uint8Array>;
    }
    return this.#writable;
  }

  /** Reads into `bytes`. Returns how many were read, and null at the end of the file. */
  read(bytes: Uint8Array): Promise<number | null> {
    return waiting(async () => {
      const { bytesRead } = await calls.read(this.#fd, bytes, 0, bytes.byteLength, null);
      return bytesRead === 0 && bytes.byteLength > 0 ? null : bytesRead;
    });
  }

  /** Reads into `bytes`. Returns how many were read, and null at the end of the file. */
  readSync(bytes: Uint8Array): number | null {
    const count = blocking(() => fs.readSync(this.#fd, bytes, 0, bytes.byteLength, null));
    return count === 0 && bytes.byteLength > 0 ? null : count;
  }

  /** Writes bytes, and returns how many were written. */
  write(bytes: Uint8Array): Promise<number> {
    return waiting(async () => (await calls.write(this.#fd, bytes)).bytesWritten);
  }

  /** Writes bytes, and returns how many were written. */
  writeSync(bytes: Uint8Array): number {
    return blocking(() => fs.writeSync(this.#fd, bytes));
  }

  /** Returns facts about the file. */
  stat(): Promise<FileInfo> {
    return waiting(async () => fileInfo(await calls.fstat(this.#fd)));
  }

  /** Returns facts about the file. */
  statSync(): FileInfo {
    return blocking(() => fileInfo(fs.fstatSync(this.#fd)));
  }

  /** Shortens the file, or extends it with zeros. */
  truncate(length = 0): Promise<void> {
    return waiting(() => calls.ftruncate(this.#fd, length));
  }

  /** Writes what the system holds back to the disk. */
  sync(): Promise<void> {
    return waiting(() => calls.fsync(this.#fd));
  }

  /** Closes the file. */
  close(): void {
    if (this.#stream === undefined) blocking(() => fs.closeSync(this.#fd));
    else this.#stream.destroy();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Opens a file. */
export async function open(path: string | URL, options: OpenOptions = { read: true }): Promise<FsFile> {
  return new FsFile(await waiting(() => calls.open(path, flagsOf(options), options.mode)));
}

/** Opens a file. */
export function openSync(path: string | URL, options: OpenOptions = { read: true }): FsFile {
  return new FsFile(blocking(() => fs.openSync(path, flagsOf(options), options.mode)));
}

const CREATED: OpenOptions = { read: true, write: true, truncate: true, create: true };

/** Creates a file, or empties it, and opens it. */
export function create(path: string | URL): Promise<FsFile> {
  return open(path, CREATED);
}

/** Creates a file, or empties it, and opens it. */
export function createSync(path: string | URL): FsFile {
  return openSync(path, CREATED);
}

function flagsOf({ read, write, append, truncate, create: made, createNew }: OpenOptions): number {
  const { O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_TRUNC, O_CREAT, O_EXCL } = fs.constants;
  const writes = write === true || append === true;
  if (read !== true && !writes) throw new TypeError('Deno.open: one of read, write and append must be true');
  return (
    (read !== true ? O_WRONLY : writes ? O_RDWR : O_RDONLY) |
    (append === true ? O_APPEND : 0) |
    (truncate === true ? O_TRUNC : 0) |
    (made === true || createNew === true ? O_CREAT : 0) |
    (createNew === true ? O_EXCL : 0)
  );
}
