/** What a terminal shows of the text written to it: rows of characters with styles, and a cursor. */

import { TERMINAL_ROWS } from '../../protocol/terminal-size.ts';
import { TextStyle } from './text-style.ts';

/** A sequence that controls the terminal: its prefix and parameters, and its last character; or an escape, a string or a control character. */
const CONTROL =
  /\x1b\[([?>=<]?)([\d;:]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*([0-~])|([\x00-\x1f\x7f])/g;
/** Characters that take two columns. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]/u;
/** Characters that join the one before them. */
const JOINED = /^[\p{Mn}\p{Me}\p{Cf}]/u;
const FIRST_JOINED = 0x300;
const TAB = 8;
/** The column that a cursor can reach without text, if lines have no end. */
const FURTHEST = 1_000;
const RESET = '\x1b[0m';

interface Cell {
  /** Empty for the second column of a wide character. */
  readonly text: string;
  readonly style: string;
}

interface Row {
  cells: Cell[];
  /** Whether the row continues the one before it. */
  readonly wrapped: boolean;
}

const BLANK: Cell = { text: ' ', style: '' };

export class Screen {
  readonly #columns: number;
  readonly #style = new TextStyle();
  #rows: Row[] = [{ cells: [], wrapped: false }];
  #row = 0;
  #column = 0;
  #saved = { row: 0, column: 0 };
  #wraps = true;
  #hidden = false;
  /** Number of rows added since the cursor last moved up. */
  addedRows = 0;

  constructor(columns = Infinity) {
    this.#columns = columns;
  }

  /** Whether a program took the screen: it hid the cursor or stopped lines from wrapping, and has not yet undone that. */
  get taken(): boolean {
    return this.#hidden || !this.#wraps;
  }

  get rowCount(): number {
    return this.#rows.length;
  }

  get column(): number {
    return this.#column;
  }

  get style(): string {
    return this.#style.text;
  }

  /** Whether the cursor is where text ends. */
  get followsText(): boolean {
    return this.#row === this.#rows.length - 1 && this.#column === this.#rows[this.#row]!.cells.length;
  }

  /** Whether the cursor is in an empty last row, below text. */
  get atEnd(): boolean {
    const last = this.#rows.length - 1;
    return this.#row === last && this.#rows[last]!.cells.length === 0 && last > 0 && !this.#isEmpty(last);
  }

  /** Writes text. After each control sequence `stops` may end the writing; returns the text that was not written. */
  write(text: string, stops: () => boolean = () => false): string {
    let written = 0;
    for (const found of text.matchAll(CONTROL)) {
      this.#print(text.slice(written, found.index));
      written = found.index + found[0].length;
      const [, prefix, parameters = '', final, escape, character] = found;
      if (final !== undefined) this.#sequence(`${prefix!}${final}`, parameters);
      else if (escape !== undefined) this.#escape(escape);
      else if (character !== undefined) this.#character(character);
      if (stops()) return text.slice(written);
    }
    this.#print(text.slice(written));
    return '';
  }

  /** Removes the first `count` rows. */
  drop(count: number): void {
    this.#rows.splice(0, count);
    this.#row = Math.max(0, this.#row - count);
  }

  /** Returns rows as text with styles, joined where a long line was wrapped. */
  text(start = 0, end = this.#rows.length): string {
    return this.#rows
      .slice(start, end)
      .map(({ cells, wrapped }, i) => `${i === 0 || wrapped ? '' : '\n'}${textOf(cells)}`)
      .join('');
  }

  #isEmpty(end: number): boolean {
    return this.#rows.slice(0, end).every(({ cells }) => cells.length === 0);
  }

  #print(text: string): void {
    for (const character of text) {
      const width = widthOf(character);
      const { cells } = this.#rows[this.#row]!;
      if (width === 0) {
        const last = cells[this.#column - 1];
        if (last !== undefined) cells[this.#column - 1] = { ...last, text: last.text + character };
        continue;
      }
      if (this.#column + width > this.#columns) {
        // A terminal that does not wrap overwrites its last column.
        if (this.#wraps) this.#newRow(true);
        else this.#column = this.#columns - width;
      }
      this.#put({ text: character, style: this.#style.text }, width);
    }
  }

  #put(cell: Cell, width: number): void {
    const { cells } = this.#rows[this.#row]!;
    while (cells.length < this.#column) cells.push(BLANK);
    cells[this.#column] = cell;
    if (width === 2) cells[this.#column + 1] = { text: '', style: cell.style };
    this.#column += width;
  }

  #newRow(wrapped: boolean): void {
    this.#row += 1;
    this.#column = 0;
    const row = { cells: [], wrapped };
    if (this.#row === this.#rows.length) {
      this.#rows.push(row);
      this.addedRows += 1;
    } else if (wrapped) this.#rows[this.#row] = row;
  }

  #character(character: string): void {
    if (character === '\n' || character === '\v' || character === '\f') this.#newRow(false);
    else if (character === '\r') this.#column = 0;
    else if (character === '\b') this.#column = Math.max(0, this.#column - 1);
    else if (character === '\t') this.#print(' '.repeat(TAB - (this.#column % TAB)));
  }

  #escape(final: string): void {
    if (final === '7') this.#save();
    else if (final === '8') this.#restore();
    else if (final === 'M') this.#moveTo(this.#row - 1, this.#column);
    else if (final === 'D') this.#moveTo(this.#row + 1, this.#column);
    else if (final === 'E') this.#newRow(false);
    else if (final === 'c') this.#clear();
  }

  #sequence(name: string, parameters: string): void {
    if (name === 'm') return this.#style.apply(parameters);
    if (name === '?h' || name === '?l') return this.#mode(parameters, name === '?h');
    const [first = 0, second = 0] = parameters.split(';').map(Number);
    const count = Math.max(1, first);
    const row = this.#row;
    const column = this.#column;
    if (name === 'A') this.#moveTo(row - count, column);
    else if (name === 'B') this.#moveTo(row + count, column);
    else if (name === 'C') this.#moveTo(row, column + count);
    else if (name === 'D') this.#moveTo(row, column - count);
    else if (name === 'E') this.#moveTo(row + count, 0);
    else if (name === 'F') this.#moveTo(row - count, 0);
    else if (name === 'G' || name === '`') this.#moveTo(row, count - 1);
    else if (name === 'H' || name === 'f') this.#moveTo(count - 1, Math.max(1, second) - 1);
    else if (name === 'd') this.#moveTo(count - 1, column);
    else if (name === 'J') this.#eraseScreen(first);
    else if (name === 'K') this.#eraseLine(first);
    else if (name === 'P') this.#rows[row]!.cells.splice(column, count);
    else if (name === 's') this.#save();
    else if (name === 'u') this.#restore();
  }

  #mode(parameters: string, on: boolean): void {
    for (const mode of parameters.split(';')) {
      if (mode === '25') this.#hidden = !on;
      if (mode === '7') this.#wraps = on;
      // The alternate screen: what it shows disappears with it.
      if (mode === '1049') this.#clear();
    }
  }

  #moveTo(row: number, column: number): void {
    if (row < this.#row) this.addedRows = 0;
    // Programs move by thousands of rows or columns to reach the last one.
    this.#row = Math.min(Math.max(0, row), Math.max(this.#rows.length, TERMINAL_ROWS) - 1);
    const last = Number.isFinite(this.#columns) ? this.#columns - 1 : Math.max(this.#column, FURTHEST);
    this.#column = Math.min(Math.max(0, column), last);
    while (this.#rows.length <= this.#row) this.#rows.push({ cells: [], wrapped: false });
  }

  #save(): void {
    this.#saved = { row: this.#row, column: this.#column };
  }

  #restore(): void {
    this.#moveTo(this.#saved.row, this.#saved.column);
  }

  #clear(): void {
    this.#rows = [{ cells: [], wrapped: false }];
    this.#moveTo(0, 0);
  }

  /** Erases below the cursor (0), above it (1), or everything (2, 3). */
  #eraseScreen(part: number): void {
    this.#eraseLine(part);
    if (part === 0) this.#rows.length = this.#row + 1;
    else for (let i = 0; i < (part === 1 ? this.#row : this.#rows.length); i += 1) this.#rows[i]!.cells = [];
  }

  /** Erases after the cursor (0), before it (1), or all of its row (2, 3). */
  #eraseLine(part: number): void {
    const { cells } = this.#rows[this.#row]!;
    if (part === 0) cells.length = Math.min(cells.length, this.#column);
    else if (part === 1) cells.fill(BLANK, 0, this.#column + 1);
    else cells.length = 0;
  }
}

function widthOf(character: string): number {
  if (character.codePointAt(0)! < FIRST_JOINED) return 1;
  if (JOINED.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

function textOf(cells: readonly Cell[]): string {
  let text = '';
  let current = '';
  for (const { text: character, style } of cells) {
    if (style !== current) text += `${current === '' ? '' : RESET}${style}`;
    current = style;
    text += character;
  }
  return current === '' ? text : text + RESET;
}
