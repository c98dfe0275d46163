/** What cells print goes to the front, or to the sink that their output is given to. */

import type { StreamName } from '../../protocol/messages.ts';
import { currentCell } from '../context/cell-context.ts';
import { sendHeldText, sendText } from './front-link.ts';
import { hasSink, takenBySink } from '../context/output-sinks.ts';

const GATHER_MS = 20;
const GATHER_CHARACTERS = 65_536;

/** Text for a sink, gathered so that a page does not get each line by itself. */
let sinkCell = '';
let sinkName: StreamName = 'stdout';
let sinkText = '';
let timer: NodeJS.Timeout | undefined;

/** `bytes` may begin and end within a character. */
export function printed(name: StreamName, chunk: string | Uint8Array): void {
  if (chunk.length === 0) return;
  const cell = currentCell();
  if (hasSink(cell)) gather(cell, name, typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
  else sendText(cell, name, chunk);
}

/** Hands over what is gathered. Called before anything whose order against the text matters. */
export function flushOutput(): void {
  sendHeldText();
  const text = sinkText;
  if (text === '') return;
  // First, for a sink that takes it may print something itself.
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
