/** Writes frames to the front synchronously: they arrive in order, even during busy loops and before a crash. A slow reader blocks. */

import { Socket } from 'node:net';
import { encodeFrame } from '../../protocol/channel.ts';
import { FRONT_OUTPUT_FD, type FromExecutor, type StreamHead } from '../../protocol/executor-messages.ts';
import type { StreamName } from '../../protocol/messages.ts';
import { uninterrupted } from '../context/critical-section.ts';
import { markNativeOutput } from './native-marks.ts';
import { cellAround, takenBySink } from '../context/output-sinks.ts';
import { MAIN_THREAD, StreamFrame, writeSome } from './stream-frame.ts';

/** Longer texts are sent in frames of this many bytes. */
const LARGE_FRAME = 1_048_576;

/** Makes the pipe non-blocking: writes fail when it is full, instead of blocking the thread. */
const nonBlocking = new Socket({ fd: FRONT_OUTPUT_FD, readable: false, writable: true });
nonBlocking.unref();

const text = new StreamFrame(MAIN_THREAD);
const pause = new Int32Array(new SharedArrayBuffer(4));
let textCell = '';
let textName: StreamName = 'stdout';
let promptly = false;

/** The buffered text, for the thread that sends it while a cell is busy. */
export const sharedText = text.shared;

/** Sends a message, after the buffered text. */
export function sendToFront(message: FromExecutor, buffers: readonly Uint8Array[] = []): void {
  uninterrupted(() => {
    if (message.kind !== 'publish') return write(message, buffers);
    if (takenBySink(message.cell, message)) return;
    write({ ...message, cell: cellAround(message.cell), mark: markOf(message.type) }, buffers);
  });
}

/** Sends printed text: immediately, or in one frame with text that follows soon. */
export function sendText(cell: string, name: StreamName, chunk: string | Uint8Array): void {
  uninterrupted(() =>
    text.exclusively(() => {
      if (!text.empty && (text.leaving || cell !== textCell || name !== textName)) text.send();
      if (text.empty) beginText(cell, name);
      if (!text.add(chunk)) {
        text.send();
        beginText(cell, name);
        if (!text.add(chunk)) return sendLarge(Buffer.from(chunk as string));
      }
      if (promptly) text.send();
      else text.sendSoon();
    })
  );
}

export function sendHeldText(): void {
  if (!text.empty) uninterrupted(() => text.exclusively(() => text.send()));
}

/** Sends all text immediately from now on: the next call may end the process, and buffered text would be lost. */
export function sendTextPromptly(): void {
  promptly = true;
  sendHeldText();
}

/** Returns the mark of a display's position in the native output; undefined for other messages. */
function markOf(type: string): number | undefined {
  return type === 'display_data' || type === 'clear_output' ? markNativeOutput() : undefined;
}

function beginText(cell: string, name: StreamName): void {
  const message: StreamHead = { kind: 'stream', cell, name, mark: markNativeOutput() };
  text.begin(Buffer.from(JSON.stringify(message)));
  textCell = cell;
  textName = name;
}

function sendLarge(bytes: Buffer): void {
  const message: StreamHead = { kind: 'stream', cell: textCell, name: textName };
  // The frame that was started for it stays empty.
  text.send();
  for (let start = 0; start < bytes.length; start += LARGE_FRAME)
    writeFully(encodeFrame(message, [bytes.subarray(start, start + LARGE_FRAME)]));
}

function write(message: FromExecutor, buffers: readonly Uint8Array[]): void {
  text.exclusively(() => {
    text.send();
    writeFully(encodeFrame(message, buffers));
  });
}

function writeFully(bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) {
    const count = writeSome(bytes, written, bytes.length);
    written += count;
    if (count === 0) Atomics.wait(pause, 0, 0, 1);
  }
}
