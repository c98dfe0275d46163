/** Maps cells to the paths that debugger clients use: each contains the hash of the cell's text. No file is written. */

import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import type { CellPlaceAnswer } from '../../protocol/debugger-messages.ts';

const MULTIPLIER = 0x5bd1e995;
const ROTATION = 24;
const WORD = 4;
/** An arbitrary seed, which clients read from `debugInfo`. */
const SEED = 0x57_21_de_1a;

/** Names the files of cells for the debugger. The public fields are part of `debugInfo`. */
export class CellFiles {
  readonly hashMethod = 'Murmur2';
  readonly hashSeed = SEED;
  readonly tmpFilePrefix = join(tmpdir(), `stridelab_${process.pid}`) + sep;
  readonly tmpFileSuffix = '.ts';
  readonly #sources = new Map<string, string>();

  add(source: string): string {
    const path = `${this.tmpFilePrefix}${murmur2(source, SEED)}${this.tmpFileSuffix}`;
    this.#sources.set(path, source);
    return path;
  }

  /** Returns the path of what holds a place: a cell's, or a file's own. */
  pathOf({ source, path }: Pick<CellPlaceAnswer, 'source' | 'path'>): string {
    return path ?? this.add(source);
  }

  isCell(path: string): boolean {
    return path.startsWith(this.tmpFilePrefix);
  }

  sourceOf(path: string): string | undefined {
    return this.#sources.get(path);
  }
}

/** Returns the MurmurHash2 by Austin Appleby, 32 bits, over UTF-8: the hash by which Jupyter's debugger clients identify cells. */
function murmur2(text: string, seed: number): number {
  const bytes = Buffer.from(text);
  const whole = bytes.length - (bytes.length % WORD);
  let hash = seed ^ bytes.length;
  for (let offset = 0; offset < whole; offset += WORD) {
    let word = Math.imul(bytes.readUInt32LE(offset), MULTIPLIER);
    word ^= word >>> ROTATION;
    hash = Math.imul(hash, MULTIPLIER) ^ Math.imul(word, MULTIPLIER);
  }
  if (whole < bytes.length) {
    hash = Math.imul(hash ^ bytes.readUIntLE(whole, bytes.length - whole), MULTIPLIER);
  }
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return (hash ^ (hash >>> 15)) >>> 0;
}
