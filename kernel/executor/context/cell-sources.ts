/** Keeps the sources of cells that ran, to map positions in their scripts to places in the notebook. */

import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CellOrigin } from '../../protocol/cell-origin.ts';
import type { CompiledCell } from '../transform/compile-cell.ts';
import type { Position } from '../transform/positions.ts';

export interface CellSource {
  /** The label that users see: `Cell [3]`. */
  readonly label: string;
  readonly source: string;
  /** Set for a cell of a script. */
  readonly origin?: CellOrigin | undefined;
  readonly toSource: CompiledCell['toSource'];
  /** Of a cell whose map can take less memory. */
  readonly compact?: CompiledCell['compact'];
  /** Of a cell: its TypeScript, without magics, and its script. */
  readonly compiled?: { readonly code: string; readonly script: string };
  /** Set for a file that cells import. */
  readonly isFile?: true;
}

/** A place in a cell or in a file of the user; `position` is null in code that the kernel added. */
export interface CellPlace {
  readonly cell: CellSource;
  readonly position: Position | null;
}

/** Maximum number of cells kept, and of the characters of their texts; places in older ones are shown as places in their scripts. */
const MAX_CELLS = 5_000;
const MAX_CHARACTERS = 4_194_304;
/** Latest cells whose maps are exact to the character. */
const EXACT_CELLS = 200;

export class CellSources {
  /** Scripts are named as files of the notebook's folder, from which imports are resolved. */
  readonly folder = process.cwd();
  /** Finds places in other files, by path or URL; set once modules can be imported. */
  files: Pick<CellSources, 'find'> | undefined;
  /** Returns advice on a name that is not defined, to follow the message; set once cells can run. */
  advice: (name: string) => string = () => '';
  readonly #byFile = new Map<string, CellSource>();
  /** Files of the cells with exact maps, oldest first. */
  readonly #exact = new Set<string>();
  #characters = 0;
  #uncounted = 0;

  /** Returns the label of the cell with this count; cells without one get a unique label. */
  label(count: number | null): string {
    if (count !== null) return `Cell [${count}]`;
    this.#uncounted += 1;
    return `Cell [ ${this.#uncounted}]`;
  }

  file(label: string): string {
    return join(this.folder, label);
  }

  add(cell: CellSource): void {
    const file = this.file(cell.label);
    // A cell that is run again under its name becomes the latest.
    this.#delete(file);
    this.#byFile.set(file, cell);
    this.#characters += cell.source.length;
    this.#exact.add(file);
    const [oldestExact] = this.#exact;
    if (this.#exact.size > EXACT_CELLS) this.#compact(oldestExact!);
    for (const oldest of this.#byFile.keys()) {
      if (oldest === file || (this.#byFile.size <= MAX_CELLS && this.#characters <= MAX_CHARACTERS)) break;
      this.#delete(oldest);
    }
  }

  /** Returns the latest cell whose source contains `text`, and the line (from 1) where the text starts; null if there is none. */
  locate(text: string): { cell: string; line: number } | null {
    for (const { label, source } of this.latestFirst()) {
      const start = source.indexOf(text);
      if (start >= 0) return { cell: label, line: source.slice(0, start).split('\n').length };
    }
    return null;
  }

  /** Returns the cells, the latest first. */
  latestFirst(): CellSource[] {
    return [...this.#byFile.values()].reverse();
  }

  get(file: string): CellSource | undefined {
    return this.#byFile.get(file);
  }

  /** Returns the script names of the cells with exactly this text, oldest first. */
  filesOf(source: string): string[] {
    return [...this.#byFile].filter(([, cell]) => cell.source === source).map(([file]) => file);
  }

  has(file: string): boolean {
    return this.#byFile.has(file);
  }

  /** Returns the place; null if the file is neither a cell nor a file of the user. */
  find(file: string, position: Position): CellPlace | null {
    // The text of `error.stack` has the label and the place in the source.
    const labelled = isAbsolute(file) ? undefined : this.#byFile.get(this.file(file));
    if (labelled !== undefined) return { cell: labelled, position };
    // The inspector identifies scripts by URL.
    const cell = this.#byFile.get(file.startsWith('file:') ? fileURLToPath(file) : file);
    if (cell !== undefined) return { cell, position: cell.toSource(position, true) };
    return this.files?.find(file, position) ?? null;
  }

  #compact(file: string): void {
    this.#exact.delete(file);
    const { compact, ...cell } = this.#byFile.get(file)!;
    if (compact !== undefined) this.#byFile.set(file, { ...cell, toSource: compact() });
  }

  #delete(file: string): void {
    this.#characters -= this.#byFile.get(file)?.source.length ?? 0;
    this.#byFile.delete(file);
    this.#exact.delete(file);
  }
}
