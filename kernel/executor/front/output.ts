/** Sends the output of cells to the front, or to the sink that it is redirected to. */

import type { StreamName } from '../../protocol/messages.ts';
import { currentCell } from '../context/cell-context.ts';
import { sendHeldText, sendText } from './front-link.ts';
import { hasSink, takenBySink } from '../context/output-sinks.ts';

const GATHER_MS = 20;
const GATHER_CHARACTERS = 65_536;

/** Text for a sink, collected so that a page does not get each line separately. */
let sinkCell = '';
let sinkName: StreamName = 'stdout';
let sinkText = '';
let timer: NodeJS.Timeout | undefined;

/** Handles printed text or bytes; a chunk of bytes may begin and end within a character. */
export function printed(name: StreamName, chunk: string | Uint8Array): void {
  if (chunk.length === 0) return;
  const cell = currentCell();
  if (hasSink(cell)) gather(cell, name, typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
  else sendText(cell, name, chunk);
}

/** Sends the collected text. Called before anything whose order relative to it matters. */
export function flushOutput(): void {
  sendHeldText();
  const text = sinkText;
  if (text === '') return;
  // Reset first: the sink may itself print.
  sinkText = '';
  clearTimeout(timer);
  timer = undefined;
  const content = { name: sinkName, text };
  if (!takenBySink(sinkCell, { type: 'stream', content })) sendText(sinkCell, sinkName, text);
}

function gather(cell: string, name: StreamName, text: string): void {
  if (sinkText !== '' && (cell !== sinkCell || name !== sinkName)) flushOutput();
  sinkCell = cell;
  sinkName = name;
  sinkText += text;
  if (sinkText.length >= GATHER_CHARACTERS) flushOutput();
  else timer ??= setTimeout(flushOutput, GATHER_MS).unref();
}
