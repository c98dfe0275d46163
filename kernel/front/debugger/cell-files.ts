/** Cells as debugger clients name them: by a path with the hash of their text, where no file is written. */

import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { murmur2 } from './murmur2.ts';

/** Arbitrary: clients learn it from `debugInfo`. */
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

  /** Makes the path known as that of this text. */
  add(source: string): string {
    const path = this.pathOf(source);
    this.#sources.set(path, source);
    return path;
  }

  isCell(path: string): boolean {
    return path.startsWith(this.tmpFilePrefix);
  }

  /** Undefined for paths of unknown cells. */
  sourceOf(path: string): string | undefined {
    return this.#sources.get(path);
  }
}
