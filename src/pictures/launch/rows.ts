/** The rows of a launch's picture: the lines of the kernel, and of other functions that access memory. Pure. */

import type { FunctionSource } from '../../kernels/source/function-source.ts';
import type { SourceRow } from './schema.ts';

export class Rows {
  readonly all: SourceRow[];
  readonly #first: number;
  readonly #own: number;
  readonly #file: string;
  /** The rows of other functions. */
  readonly #others = new Map<string, number>();

  constructor({ text, file, line }: FunctionSource) {
    this.all = dedented(text).map((each, index) => ({ line: line + index, text: each }));
    this.#first = line;
    this.#own = this.all.length;
    this.#file = file;
  }

  /** Returns the row of one of the kernel's lines; null for another line. */
  known(line: number): number | null {
    const row = line - this.#first;
    return row >= 0 && row < this.#own ? row : null;
  }

  /** Returns the row of a line, which is added if it is not the kernel's. */
  of(line: number, file: string): number {
    const own = file === this.#file ? this.known(line) : null;
    if (own !== null) return own;
    const key = `${line} ${file}`;
    const row = this.#others.get(key) ?? this.all.push({ line, text: null }) - 1;
    this.#others.set(key, row);
    return row;
  }
}

/** Splits a text into lines, without the indentation that all but the first have in common. */
function dedented(text: string): string[] {
  const [first = '', ...others] = text.split(/\r?\n/);
  const widths = others.filter(line => line.trim() !== '').map(line => line.length - line.trimStart().length);
  const width = widths.length === 0 ? 0 : Math.min(...widths);
  return [first, ...others.map(line => line.slice(width))];
}
