/**
 * Lines that programs redraw by moving the cursor up: task lists, several bars, spinners. A page cannot change text that it has, so they are a
 * display, which is updated.
 */

import { randomUUID } from 'node:crypto';
import { TERMINAL_COLUMNS, TERMINAL_ROWS } from '../../protocol/terminal-size.ts';
import { Screen } from './screen.ts';

/** What only programs write that draw: they move up, address a place, erase the screen, hide the cursor or end the wrapping of lines. */
const START = /\x1b(?:[Mc]|\[(?:\d*[ABEF]|[\d;]*[Hfd]|[123]J|\?(?:25|7|1049)l))/;
/** Rows above those that a terminal has room for are never redrawn; they are split off when there are many. */
const MAX_ROWS = 5 * TERMINAL_ROWS;

export type PublishDrawing = (type: 'display_data' | 'update_display_data', content: object) => void;

/** Returns where in the text a program begins to draw; -1 if it does not. */
export function drawingStart(text: string): number {
  return text.includes('\x1b') ? text.search(START) : -1;
}

export class Drawing {
  readonly #screen = new Screen(TERMINAL_COLUMNS);
  #id: string = randomUUID();
  /** The text in the page; undefined before the first. */
  #shown: string | undefined;
  #taken = false;
  /** Whether the program has left the screen: what is printed next is not part of the drawing. */
  ended = false;

  /** Whether the program holds the screen, so that all that is printed is part of the drawing. */
  get holds(): boolean {
    return this.#screen.taken;
  }

  /** Draws text; returns what the program printed after it left the screen. */
  write(text: string): string {
    this.ended = false;
    return this.#screen.write(text, () => (this.ended = this.#left()));
  }

  publish(publish: PublishDrawing): void {
    const screen = this.#screen;
    if (screen.rowCount > MAX_ROWS) {
      const above = screen.rowCount - TERMINAL_ROWS;
      this.#show(screen.text(0, above), publish);
      screen.drop(above);
      this.#id = randomUUID();
      this.#shown = undefined;
    }
    this.#show(screen.text().trimEnd(), publish);
  }

  #left(): boolean {
    const { taken, atEnd, addedRows } = this.#screen;
    this.#taken ||= taken;
    // A program that did not take the screen cannot leave it, but moves up from time to time.
    return !taken && atEnd && (this.#taken || addedRows > TERMINAL_ROWS);
  }

  #show(text: string, publish: PublishDrawing): void {
    if (text === (this.#shown ?? '')) return;
    const content = { data: { 'text/plain': text }, metadata: {}, transient: { display_id: this.#id } };
    publish(this.#shown === undefined ? 'display_data' : 'update_display_data', content);
    this.#shown = text;
  }
}
