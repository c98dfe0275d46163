/**
 * stdout and stderr of the cells. Text leaves as frames that name their cell. The first writes in a while leave at
 * once, so that a line printed before a busy loop is seen; a flood is gathered into large frames.
 */

import { Writable } from 'node:stream';
import type { StreamName } from '../protocol/messages.ts';
import { CellConsole } from './console/cell-console.ts';
import { COLORS } from './terminal-environment.ts';
import { currentCell } from './cell-context.ts';
import { uninterrupted } from './critical-section.ts';
import { sendToFront } from './front-link.ts';

const GATHER_MS = 20;
const GATHER_CHARACTERS = 65_536;
/** Frames that may leave at once within one gathering period: about 1 % of its time. */
const PROMPT_FRAMES = 50;

type WriteCallback = (error?: Error | null) => void;

let pendingCell = '';
let pendingName: StreamName = 'stdout';
let pendingText = '';
let promptFrames = PROMPT_FRAMES;
let timer: NodeJS.Timeout | undefined;

/** Sends what is gathered. Called before anything whose order against the text matters. */
export function flushOutput(): void {
  if (pendingText === '') return;
  uninterrupted(() => {
    sendToFront({ kind: 'stream', cell: pendingCell, name: pendingName, text: pendingText });
    pendingText = '';
  });
}

function append(name: StreamName, text: string): void {
  if (text === '') return;
  uninterrupted(() => {
    const cell = currentCell();
    if (pendingText !== '' && (cell !== pendingCell || name !== pendingName)) flushOutput();
    pendingCell = cell;
    pendingName = name;
    pendingText += text;
    if (promptFrames > 0) {
      promptFrames -= 1;
      flushOutput();
    } else if (pendingText.length >= GATHER_CHARACTERS) {
      flushOutput();
    }
    if (timer === undefined) {
      timer = setTimeout(() => {
        timer = undefined;
        promptFrames = PROMPT_FRAMES;
        flushOutput();
      }, GATHER_MS);
      timer.unref();
    }
  });
}

/** Takes the place of `process.stdout` and `process.stderr`: a stream that never fails and never asks to wait. */
class CellStream extends Writable {
  readonly #name: StreamName;
  readonly fd: number;
  readonly isTTY = false;

  constructor(name: StreamName) {
    super({ decodeStrings: false });
    this.#name = name;
    this.fd = name === 'stdout' ? 1 : 2;
  }

  // Past the machinery of Writable: it costs a microsecond for each line and there is nothing to buffer.
  override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
    append(this.#name, asText(chunk, encoding));
    const done = typeof encoding === 'function' ? encoding : callback;
    if (typeof done === 'function') process.nextTick(done);
    return true;
  }

  override _write(chunk: unknown, encoding: BufferEncoding, callback: WriteCallback): void {
    append(this.#name, asText(chunk, encoding));
    callback();
  }

  /** Like Node's own: the process's streams are not closed by whoever pipes into them. */
  override _destroy(_error: Error | null, callback: WriteCallback): void {
    callback();
  }
}

function asText(chunk: unknown, encoding: unknown): string {
  if (typeof chunk === 'string') {
    return typeof encoding === 'string' && (encoding === 'hex' || encoding === 'base64')
      ? Buffer.from(chunk, encoding).toString()
      : chunk;
  }
  if (ArrayBuffer.isView(chunk))
    return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString();
  throw new TypeError(
    `The chunk to write must be text or bytes, not ${chunk === null ? 'null' : typeof chunk}`
  );
}

/** Puts the cell streams in place of the process's own. */
export function captureOutput(): void {
  const stdout = new CellStream('stdout');
  const stderr = new CellStream('stderr');
  Object.defineProperty(process, 'stdout', { value: stdout, configurable: true, enumerable: true });
  Object.defineProperty(process, 'stderr', { value: stderr, configurable: true, enumerable: true });
  globalThis.console = new CellConsole(stdout, stderr, COLORS);
}
