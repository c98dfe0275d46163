/** Joins what a cell prints into few messages: one when enough came together or when a short time has passed. */

import type { StreamName } from '../protocol/messages.ts';

const GATHER_MS = 20;
const GATHER_CHARACTERS = 65_536;

export class StreamGatherer {
  readonly #publish: (cell: string, name: StreamName, text: string) => void;
  #cell = '';
  #name: StreamName = 'stdout';
  #text = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(publish: (cell: string, name: StreamName, text: string) => void) {
    this.#publish = publish;
  }

  append(cell: string, name: StreamName, text: string): void {
    if (text === '') return;
    if (this.#text !== '' && (cell !== this.#cell || name !== this.#name)) this.flush();
    this.#cell = cell;
    this.#name = name;
    this.#text += text;
    if (this.#text.length >= GATHER_CHARACTERS) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  /** Called before any message whose order against the text matters. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#text;
    if (text === '') return;
    this.#text = '';
    this.#publish(this.#cell, this.#name, text);
  }
}
