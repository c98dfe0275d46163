/**
 * The executor's end of the channel to the front. Frames are written synchronously: they keep their order, leave
 * while a cell is in a busy loop, are complete when the process dies, and make a cell wait for a slow reader.
 */

import { writeSync } from 'node:fs';
import { encodeFrame } from '../protocol/channel.ts';
import { FRONT_OUTPUT_FD, type FromExecutor } from '../protocol/executor-messages.ts';
import { uninterrupted } from './critical-section.ts';
import { takenBySink } from './output-sinks.ts';

const pause = new Int32Array(new SharedArrayBuffer(4));

export function sendToFront(message: FromExecutor, buffers: readonly Uint8Array[] = []): void {
  uninterrupted(() => {
    if (!takenBySink(message)) writeFully(encodeFrame(message, buffers));
  });
}

function writeFully(bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(FRONT_OUTPUT_FD, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}
