/** A function's source while it is lowered: positions in its file, and its captured names. Pure. */

import type { AnyNode } from 'acorn';
import { KernelError, type KernelPlace } from '../../base/errors.ts';
import type { Place } from '../program/program.ts';
import { declaredTypes, typesInSight, type DeclaredType } from '../source/declared-types.ts';
import type { FunctionSource } from '../source/function-source.ts';
import { parseFunction, parseModule } from '../source/parse.ts';

/** A stretch of the text, such as a node. */
export interface Spot {
  readonly start: number;
  readonly end: number;
}

export class SourceText {
  readonly source: FunctionSource;
  /** Index of the file in the program. */
  readonly file: number;
  /** Offsets at which lines of the text start. */
  readonly #starts: readonly number[];
  #types: readonly DeclaredType[] | undefined;

  constructor(source: FunctionSource, file: number) {
    this.source = source;
    this.file = file;
    this.#starts = [0, ...Array.from(source.text.matchAll(/\n/g), ({ index }) => index + 1)];
  }

  /** What helps against names that are not defined and types that are missing. */
  get hint(): string {
    return this.source.hint ?? '';
  }

  /**
   * Returns the declaration of a type that is in sight at an offset of the text: one inside the function, or around it, whose offsets are
   * those of another text.
   */
  declaredType(
    name: string,
    offset: number
  ): { readonly node: AnyNode; readonly inside: boolean } | undefined {
    this.#types ??= declaredTypes(parseFunction(this.source.text) as AnyNode);
    const inner = typesInSight(this.#types, offset).get(name);
    if (inner !== undefined) return { node: inner.node, inside: true };
    const text = this.source.types?.[name];
    const [outer] = text === undefined ? [] : declaredTypes(parseModule(text, 'ts'));
    return outer && { node: outer.node, inside: false };
  }

  /** Returns the place of a node. */
  place(node: Spot): Place {
    const row = this.#rowOf(node.start);
    const start = this.#starts[row]!;
    const end = Math.min(node.end, (this.#starts[row + 1] ?? this.source.text.length + 1) - 1);
    const column = node.start - start + (row === 0 ? this.source.column : 0);
    return { line: this.source.line + row, column, length: Math.max(end - node.start, 1), file: this.file };
  }

  /** Makes the error of a node, with its line and a caret. */
  error(message: string, node: Spot, hint = ''): KernelError {
    const { line, column, length } = this.place(node);
    const place: KernelPlace = { file: this.source.file, line, column, length };
    const row = this.#rowOf(node.start);
    const text = this.source.text.slice(this.#starts[row], (this.#starts[row + 1] ?? Infinity) - 1);
    const shown = row === 0 ? ' '.repeat(this.source.column) + text : text;
    const cut = shown.length - shown.trimStart().length;
    const number = `  ${line} | `;
    const frame = `${number}${shown.trimStart()}\n${' '.repeat(number.length + column - cut)}${'~'.repeat(length)}`;
    return new KernelError(message, place, hint, frame);
  }

  #rowOf(offset: number): number {
    let row = this.#starts.length - 1;
    while (this.#starts[row]! > offset) row--;
    return row;
  }
}
