/** Remembers the cells that ran, so that positions in their scripts can be shown as places in the notebook. */

import { join } from 'node:path';
import type { CompiledCell } from './transform/compile-cell.ts';
import type { Position } from './transform/positions.ts';

export interface CellSource {
  /** As people see it: `Cell [3]`. */
  readonly label: string;
  readonly source: string;
  readonly toSource: CompiledCell['toSource'];
}

export interface CellPlace {
  readonly cell: CellSource;
  readonly position: Position;
}

export class CellSources {
  /** Scripts are named as files of the notebook's folder: imports are resolved from there. */
  readonly folder = process.cwd();
  readonly #byFile = new Map<string, CellSource>();
  #uncounted = 0;

  /** A script name for the cell with this count; cells without one get a name of their own. */
  label(count: number | null): string {
    if (count !== null) return `Cell [${count}]`;
    this.#uncounted += 1;
    return `Cell [ ${this.#uncounted}]`;
  }

  file(label: string): string {
    return join(this.folder, label);
  }

  add(cell: CellSource): void {
    this.#byFile.set(this.file(cell.label), cell);
  }

  /** The latest cell whose source has `text`, and the line (from 1) where it begins there; null where none has. */
  locate(text: string): { cell: string; line: number } | null {
    for (const { label, source } of [...this.#byFile.values()].reverse()) {
      const start = source.indexOf(text);
      if (start >= 0) return { cell: label, line: source.slice(0, start).split('\n').length };
    }
    return null;
  }

  get(file: string): CellSource | undefined {
    return this.#byFile.get(file);
  }

  /** Script names of the cells with exactly this text, oldest first. */
  filesOf(source: string): string[] {
    return [...this.#byFile].filter(([, cell]) => cell.source === source).map(([file]) => file);
  }

  /** Null where the file is no cell; a place of the kernel's own code in a cell's script has no position. */
  find(file: string, position: Position): { cell: CellSource; position: Position | null } | null {
    const cell = this.#byFile.get(file);
    return cell === undefined ? null : { cell, position: cell.toSource(position) };
  }
}
