/** Maps cells to the paths that debugger clients use: each has the hash of the cell's text; no file is written. */

import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { murmur2 } from './murmur2.ts';

/** An arbitrary seed, which clients read from `debugInfo`. */
const SEED = 0x57_21_de_1a;

export class CellFiles {
  readonly hashMethod = 'Murmur2';
  readonly hashSeed = SEED;
  readonly tmpFilePrefix = join(tmpdir(), `stridelab_${process.pid}`) + sep;
  readonly tmpFileSuffix = '.ts';
  readonly #sources = new Map<string, string>();

  pathOf(source: string): string {
    return `${this.tmpFilePrefix}${murmur2(source, SEED)}${this.tmpFileSuffix}`;
  }

  /** Registers the path of a source text. */
  add(source: string): string {
    const path = this.pathOf(source);
    this.#sources.set(path, source);
    return path;
  }

  isCell(path: string): boolean {
    return path.startsWith(this.tmpFilePrefix);
  }

  /** Returns the source text at a path, or undefined if no cell has it. */
  sourceOf(path: string): string | undefined {
    return this.#sources.get(path);
  }
}
