/** Joins printed text into fewer messages: one when enough has been collected or a short time has passed. */

import { StringDecoder } from 'node:string_decoder';
import type { StreamName } from '../../protocol/messages.ts';
import { withoutOverwritten } from './overwritten-text.ts';

const GATHER_MS = 20;
/** Interval, in ms, at which a line that overwrites itself is shown. */
const OVERWRITE_MS = 100;
const GATHER_CHARACTERS = 262_144;
/** Cells that wrote last, whose next bytes may complete a character. */
const MAX_DECODERS = 100;
/** Maximum changes between stdout and stderr in one message period for which the order is kept. */
const MAX_PARTS = 20;

interface Part {
  readonly name: StreamName;
  text: string;
}

interface Gathered {
  readonly parts: Part[];
  size: number;
}

export class StreamGatherer {
  readonly #publish: (cell: string, name: StreamName, text: string) => void;
  /** A decoder for each cell and stream, which holds incomplete characters. */
  readonly #decoders = new Map<string, StringDecoder>();
  /** Text by cell: output of two cells needs no common order. */
  readonly #gathered = new Map<string, Gathered>();
  #timer: NodeJS.Timeout | undefined;
  /** Whether the pending timer is the longer one for lines that overwrite themselves. */
  #patient = false;

  constructor(publish: (cell: string, name: StreamName, text: string) => void) {
    this.#publish = publish;
  }

  /** Appends UTF-8 bytes, which may end within a character. */
  appendBytes(cell: string, name: StreamName, bytes: Uint8Array): void {
    this.append(cell, name, this.#decoder(`${name} ${cell}`).write(bytes));
  }

  append(cell: string, name: StreamName, text: string): void {
    if (text === '') return;
    let gathered = this.#gathered.get(cell);
    if (gathered === undefined) this.#gathered.set(cell, (gathered = { parts: [], size: 0 }));
    const part = partFor(gathered.parts, name);
    part.text += text;
    gathered.size += text.length;
    if (gathered.size >= GATHER_CHARACTERS) this.#shorten(cell, gathered);
    this.#wait(onlyOverwrites(part.text));
  }

  /** Sends the collected text; called before any message whose order relative to it matters. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [cell, gathered] of this.#gathered) this.#send(cell, gathered);
  }

  /** Returns the decoder; one that is made displaces the one that was used longest ago. */
  #decoder(key: string): StringDecoder {
    const decoder = this.#decoders.get(key) ?? new StringDecoder('utf8');
    this.#decoders.delete(key);
    this.#decoders.set(key, decoder);
    if (this.#decoders.size > MAX_DECODERS) this.#decoders.delete(this.#decoders.keys().next().value!);
    return decoder;
  }

  /** Sends the text if it is too long to hold, unless most of it is overwritten. */
  #shorten(cell: string, gathered: Gathered): void {
    gathered.size = 0;
    for (const part of gathered.parts) {
      part.text = withoutOverwritten(part.text);
      gathered.size += part.text.length;
    }
    if (gathered.size >= GATHER_CHARACTERS / 2) this.#send(cell, gathered);
  }

  #send(cell: string, { parts }: Gathered): void {
    this.#gathered.delete(cell);
    for (const { name, text } of parts) this.#publish(cell, name, withoutOverwritten(text));
  }

  #wait(patient: boolean): void {
    if (this.#timer !== undefined && (patient || !this.#patient)) return;
    clearTimeout(this.#timer);
    this.#patient = patient;
    this.#timer = setTimeout(() => this.flush(), patient ? OVERWRITE_MS : GATHER_MS);
  }
}

function partFor(parts: Part[], name: StreamName): Part {
  const last = parts.at(-1);
  if (last?.name === name) return last;
  const earlier = parts.length >= MAX_PARTS ? parts.findLast(part => part.name === name) : undefined;
  if (earlier !== undefined) return earlier;
  const part = { name, text: '' };
  parts.push(part);
  return part;
}

function onlyOverwrites(text: string): boolean {
  return text.length < 4_096 && text.includes('\r') && !text.includes('\n');
}
