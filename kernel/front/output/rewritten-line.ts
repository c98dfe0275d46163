/**
 * Lines that programs rewrite, for pages. A page does not understand a terminal's sequences: `\r` returns to the start of the line, and
 * text overwrites characters, those of colours too. So each change of a line is sent as `\r` and the whole line, padded to the length that the page has.
 */

import { Screen } from './screen.ts';

/** What moves the cursor or erases, and other sequences that pages do not understand; colours are left to pages. */
const CONTROL = /[\b\r]|\x1b(?:[78DEMc]|\[[?>=<]?[\d;:]*[ -/]*[@-ln-~])/;
/** A longer line cannot be rewritten: its beginning is forgotten. */
const LONGEST = 10_000;

/** Returns whether a line rewrites itself: it is shown less often than lines that stay. */
export function rewrites(text: string): boolean {
  return !text.includes('\n') && CONTROL.test(text);
}

/** Removes what is rewritten later in the same text, which `RewrittenLine` returned. */
export function withoutRewritten(text: string): string {
  return text.includes('\r') ? text.replaceAll(/^[^\n]*\r/gm, '\r') : text;
}

/** The unfinished last line of a stream. */
export class RewrittenLine {
  /** Terminal text that has the effect of all text so far: the line, and the cursor where text does not follow it. */
  #effect = '';
  /** Length of the line in the page, with the sequences of colours and padding. */
  #sent = 0;
  /** Whether further text only has to be appended. */
  #appends = true;

  /** Whether there is nothing to remember. */
  get isEmpty(): boolean {
    return this.#effect === '' && this.#sent === 0;
  }

  /** Returns the text that a page needs to show what a program printed. */
  take(printed: string): string {
    const text = printed.includes('\r\n') ? printed.replaceAll('\r\n', '\n') : printed;
    if (this.#appends && !CONTROL.test(text)) return this.#append(text);
    const screen = new Screen();
    screen.write(this.#effect);
    screen.write(text);
    return this.#rewrite(screen);
  }

  #append(text: string): string {
    const start = text.lastIndexOf('\n') + 1;
    if (start > 0) this.#forget();
    this.#effect += text.slice(start);
    this.#sent += text.length - start;
    if (this.#effect.length > LONGEST) this.#forget(1);
    return text;
  }

  #rewrite(screen: Screen): string {
    const { style } = screen;
    const last = screen.rowCount - 1;
    const line = screen.text(last);
    const first = last > 0 ? `${screen.text(0, 1).padEnd(this.#sent)}\n${screen.text(1, last)}` : '';
    const padding = last > 0 ? 0 : Math.max(0, this.#sent - line.length - style.length);
    const start = this.#sent > 0 ? '\r' : '';
    this.#sent = line.length + padding + style.length;
    this.#appends = padding === 0 && screen.followsText;
    this.#effect = `${line}${style}${this.#appends ? '' : `\x1b[${screen.column + 1}G`}`;
    return `${start}${first}${last > 1 ? '\n' : ''}${line}${' '.repeat(padding)}${style}`;
  }

  /** Forgets the line, of which the page has `sent` characters. */
  #forget(sent = 0): void {
    this.#effect = '';
    this.#sent = sent;
  }
}
