/** Joins printed text into fewer messages: one when enough has been collected or a short time has passed. */

import { StringDecoder } from 'node:string_decoder';
import type { StreamName } from '../../protocol/messages.ts';
import { Drawing, drawingStart } from './drawing.ts';
import { RewrittenLine, rewrites, withoutRewritten } from './rewritten-line.ts';

const GATHER_MS = 20;
/** Interval, in ms, at which lines that are redrawn are shown. */
const OVERWRITE_MS = 100;
const GATHER_CHARACTERS = 262_144;
/** Streams of the cells that wrote last, whose next text may complete a character, a sequence or a line. */
const MAX_STREAMS = 200;
/** Longer text is not examined for lines that are rewritten. */
const SHORT = 4_096;
/** Maximum changes between stdout and stderr in one message period for which the order is kept. */
const MAX_PARTS = 20;
/** Drawings that can change, of all cells; older ones stay as they are. */
const MAX_DRAWINGS = 20;
/** The start of a control sequence at the end of text, which the next text completes. */
const INCOMPLETE = /\x1b(?:\[[\d;:?>=<]{0,40})?$/;

interface Part {
  readonly name: StreamName;
  /** Text for pages. */
  ready: string;
  /** Text as it was printed, which follows. */
  text: string;
}

export type PublishOutput = (cell: string, type: string, content: object) => void;

interface Gathered {
  readonly parts: Part[];
  size: number;
}

export class StreamGatherer {
  readonly #publish: PublishOutput;
  /** A decoder for each cell and stream, which holds incomplete characters. */
  readonly #decoders = new Map<string, StringDecoder>();
  /** Incomplete control sequences, by cell and stream. */
  readonly #incomplete = new Map<string, string>();
  /** Unfinished lines, by cell and stream. */
  readonly #lines = new Map<string, RewrittenLine>();
  /** The drawing at the end of a cell's output, by cell. */
  readonly #drawings = new Map<string, Drawing>();
  /** Text by cell: output of two cells needs no common order. */
  readonly #gathered = new Map<string, Gathered>();
  #timer: NodeJS.Timeout | undefined;
  /** Whether the pending timer is the longer one for lines that are redrawn. */
  #patient = false;

  constructor(publish: PublishOutput) {
    this.#publish = publish;
  }

  /** Appends UTF-8 bytes, which may end within a character. */
  appendBytes(cell: string, name: StreamName, bytes: Uint8Array): void {
    this.append(cell, name, this.#decoder(keyOf(cell, name)).write(bytes));
  }

  append(cell: string, name: StreamName, printed: string): void {
    let text = this.#completed(keyOf(cell, name), printed);
    while (text !== '') {
      const drawing = this.#drawings.get(cell);
      const start = drawing?.ended === false ? 0 : drawingStart(text);
      if (start !== 0) {
        if (drawing !== undefined) this.#endDrawing(cell);
        this.#gather(cell, name, start < 0 ? text : text.slice(0, start));
      }
      text = start < 0 ? '' : this.#draw(cell, text.slice(start));
    }
  }

  /** Sends the collected text; called before any message whose order relative to it matters. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [cell, gathered] of this.#gathered) this.#send(cell, gathered);
    for (const [cell, drawing] of this.#drawings) this.#show(cell, drawing);
  }

  /** Sends the collected text before other output of the cell, so that text printed later appears below that. */
  flushBefore(cell: string, type: string): void {
    this.flush();
    const drawing = this.#drawings.get(cell);
    if (drawing === undefined || type === 'update_display_data') return;
    if (type === 'clear_output' || drawing.ended || !drawing.holds) this.#drawings.delete(cell);
  }

  #decoder(key: string): StringDecoder {
    const decoder = this.#decoders.get(key) ?? new StringDecoder('utf8');
    keepLatest(this.#decoders, key, decoder);
    return decoder;
  }

  /** Returns the text without an incomplete control sequence at its end, which precedes the next text. */
  #completed(key: string, printed: string): string {
    const text = (this.#incomplete.get(key) ?? '') + printed;
    const end = text.slice(-50).includes('\x1b') ? (INCOMPLETE.exec(text)?.index ?? -1) : -1;
    if (end < 0) this.#incomplete.delete(key);
    else keepLatest(this.#incomplete, key, text.slice(end));
    return end < 0 ? text : text.slice(0, end);
  }

  #gather(cell: string, name: StreamName, text: string): void {
    let gathered = this.#gathered.get(cell);
    if (gathered === undefined) this.#gathered.set(cell, (gathered = { parts: [], size: 0 }));
    const part = partFor(gathered.parts, name);
    part.text += text;
    gathered.size += text.length;
    if (gathered.size >= GATHER_CHARACTERS) this.#shorten(cell, gathered);
    this.#wait(part.text.length < SHORT && rewrites(part.text));
  }

  /** Draws text; returns what follows the drawing. */
  #draw(cell: string, text: string): string {
    let drawing = this.#drawings.get(cell);
    if (drawing === undefined) {
      this.#drawings.set(cell, (drawing = new Drawing()));
      const [oldest] = this.#drawings.keys();
      if (this.#drawings.size > MAX_DRAWINGS) this.#endDrawing(oldest!);
    }
    const rest = drawing.write(text);
    this.#wait(true);
    return rest;
  }

  #endDrawing(cell: string): void {
    this.#show(cell, this.#drawings.get(cell)!);
    this.#drawings.delete(cell);
  }

  /** Shows a drawing, below the text that precedes it. */
  #show(cell: string, drawing: Drawing): void {
    const gathered = this.#gathered.get(cell);
    if (gathered !== undefined) this.#send(cell, gathered);
    drawing.publish((type, content) => this.#publish(cell, type, content));
  }

  /** Sends the text if it is too long to hold, unless most of it is rewritten. */
  #shorten(cell: string, gathered: Gathered): void {
    gathered.size = 0;
    for (const part of gathered.parts) gathered.size += this.#prepare(cell, part).length;
    if (gathered.size >= GATHER_CHARACTERS / 2) this.#send(cell, gathered);
  }

  #send(cell: string, { parts }: Gathered): void {
    this.#gathered.delete(cell);
    for (const part of parts) {
      const { name } = part;
      const text = this.#prepare(cell, part);
      if (text !== '') this.#publish(cell, 'stream', { name, text });
    }
  }

  /** Makes the part's text one for pages; returns it. */
  #prepare(cell: string, part: Part): string {
    const key = keyOf(cell, part.name);
    const line = this.#lines.get(key) ?? new RewrittenLine();
    part.ready = withoutRewritten(part.ready + line.take(part.text));
    part.text = '';
    if (line.isEmpty) this.#lines.delete(key);
    else keepLatest(this.#lines, key, line);
    return part.ready;
  }

  #wait(patient: boolean): void {
    if (this.#timer !== undefined && (patient || !this.#patient)) return;
    clearTimeout(this.#timer);
    this.#patient = patient;
    this.#timer = setTimeout(() => this.flush(), patient ? OVERWRITE_MS : GATHER_MS);
  }
}

const keyOf = (cell: string, name: StreamName): string => `${name} ${cell}`;

/** Sets an entry, which displaces the one that was set longest ago if there are too many. */
function keepLatest<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size > MAX_STREAMS) entries.delete(entries.keys().next().value!);
}

function partFor(parts: Part[], name: StreamName): Part {
  const last = parts.at(-1);
  if (last?.name === name) return last;
  const earlier = parts.length >= MAX_PARTS ? parts.findLast(part => part.name === name) : undefined;
  if (earlier !== undefined) return earlier;
  const part = { name, ready: '', text: '' };
  parts.push(part);
  return part;
}
