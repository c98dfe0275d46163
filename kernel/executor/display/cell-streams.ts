/** `process.stdout`, `process.stderr` and the console for cells. */

import { clearLine, clearScreenDown, cursorTo, moveCursor, type Direction } from 'node:readline';
import { Writable } from 'node:stream';
import type { StreamName } from '../../protocol/messages.ts';
import { TERMINAL_COLUMNS, TERMINAL_ROWS } from '../../protocol/terminal-size.ts';
import { CellConsole } from './console/cell-console.ts';
import { printed } from '../front/output.ts';
import { COLORS } from './terminal-environment.ts';

type WriteCallback = (error?: Error | null) => void;

/** Colour depth in bits: full colour, or black and white. */
const COLOR_DEPTH = COLORS ? 24 : 1;

/**
 * A stream that never fails and never applies back-pressure. It is a terminal for libraries that draw on one: the front shows what a terminal of
 * this size would show. Libraries that ask for keys look at stdin, which is not a terminal.
 */
class CellStream extends Writable {
  readonly #name: StreamName;
  readonly fd: number;
  readonly isTTY = true;
  readonly columns = TERMINAL_COLUMNS;
  readonly rows = TERMINAL_ROWS;

  constructor(name: StreamName) {
    super({ decodeStrings: false });
    this.#name = name;
    this.fd = name === 'stdout' ? 1 : 2;
  }

  // Bypasses Writable's buffering, which costs a microsecond for each line and is not needed.
  override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
    printed(this.#name, asChunk(chunk, encoding));
    const done = typeof encoding === 'function' ? encoding : callback;
    if (typeof done === 'function') process.nextTick(done);
    return true;
  }

  override _write(chunk: unknown, encoding: BufferEncoding, callback: WriteCallback): void {
    printed(this.#name, asChunk(chunk, encoding));
    callback();
  }

  /** Does not close the stream: like Node's own, it stays open when a pipe into it ends. */
  override _destroy(_error: Error | null, callback: WriteCallback): void {
    callback();
  }

  getColorDepth(): number {
    return COLOR_DEPTH;
  }

  /** Returns whether the stream has `count` colours, by default 16. Like Node's method, it also accepts an environment. */
  hasColors(count?: number | object): boolean {
    return (typeof count === 'number' ? count : 16) <= 2 ** COLOR_DEPTH;
  }

  getWindowSize(): [number, number] {
    return [TERMINAL_COLUMNS, TERMINAL_ROWS];
  }

  cursorTo(column: number, row?: number | (() => void), callback?: () => void): boolean {
    return typeof row === 'function'
      ? cursorTo(this, column, undefined, row)
      : cursorTo(this, column, row, callback);
  }

  moveCursor(columns: number, rows: number, callback?: () => void): boolean {
    return moveCursor(this, columns, rows, callback);
  }

  clearLine(direction: Direction, callback?: () => void): boolean {
    return clearLine(this, direction, callback);
  }

  clearScreenDown(callback?: () => void): boolean {
    return clearScreenDown(this, callback);
  }
}

/** Returns the text or bytes. @throws TypeError for anything else */
function asChunk(chunk: unknown, encoding: unknown): string | Uint8Array {
  if (typeof chunk === 'string')
    return encoding === 'hex' || encoding === 'base64' || encoding === 'latin1'
      ? Buffer.from(chunk, encoding)
      : chunk;
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  throw new TypeError(
    `The chunk to write must be text or bytes, not ${chunk === null ? 'null' : typeof chunk}`
  );
}

export function captureOutput(): void {
  const stdout = new CellStream('stdout');
  const stderr = new CellStream('stderr');
  Object.defineProperty(process, 'stdout', { value: stdout, configurable: true, enumerable: true });
  Object.defineProperty(process, 'stderr', { value: stderr, configurable: true, enumerable: true });
  globalThis.console = new CellConsole(stdout, stderr, COLORS);
}
