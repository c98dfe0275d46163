/** The rows of a launch's picture: the lines of the kernel, and of the helpers that access memory. Pure. */

import type { FunctionSource } from '../../kernels/source/function-source.ts';
import type { SourceRow } from './schema.ts';

export class Rows {
  readonly all: SourceRow[] = [];
  readonly #sources: readonly FunctionSource[];
  /** The row of the first line of each function that is shown. */
  readonly #first = new Map<FunctionSource, number>();

  /** The kernel is the first of the sources. */
  constructor(sources: readonly FunctionSource[]) {
    this.#sources = sources;
    if (sources[0] !== undefined) this.#show(sources[0]);
  }

  /** Returns the row of a line; the function around it is shown from then on. The kernel's first row stands for a line of no function. */
  of(line: number, file: string): number {
    const around = this.#sources.find(
      source => source.file === file && line >= source.line && line < source.line + linesOf(source).length
    );
    return around === undefined ? 0 : this.#show(around) + line - around.line;
  }

  #show(source: FunctionSource): number {
    const known = this.#first.get(source);
    if (known !== undefined) return known;
    const first = this.all.length;
    this.#first.set(source, first);
    const rows = dedented(linesOf(source)).map((text, index): SourceRow => ({
      line: source.line + index,
      text
    }));
    if (first > 0) rows[0] = { ...rows[0]!, starts: true };
    this.all.push(...rows);
    return first;
  }
}

const linesOf = ({ text }: FunctionSource): readonly string[] => text.split(/\r?\n/);

/** Leaves out the indentation that all lines but the first have in common. */
function dedented([first = '', ...others]: readonly string[]): string[] {
  const widths = others.filter(line => line.trim() !== '').map(line => line.length - line.trimStart().length);
  const width = widths.length === 0 ? 0 : Math.min(...widths);
  return [first, ...others.map(line => line.slice(width))];
}
