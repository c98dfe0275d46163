/** Hints in errors about names that are not defined, and about lines for the kernel that are in the wrong place. */

import { MAGIC_NAMES } from '../../protocol/magics.ts';
import type { CellSources } from '../context/cell-sources.ts';
import type { ShownFrame } from '../context/stack-frames.ts';
import type { Position } from '../transform/positions.ts';
import { isError, messageOf } from './thrown-values.ts';

const MAGIC = /^\s*(%%?[a-z]+)/;
const COMMAND = /^\s*(!)[\p{L}\d_./~$]/u;

/** Returns the hint that follows the message of an error; empty if there is none. */
export function hintOn(error: unknown, frames: readonly ShownFrame[], cells: CellSources): string {
  if (!isError(error) || error.name !== 'ReferenceError') return '';
  const name = /^(\S+) is not defined$/.exec(messageOf(error) ?? '')?.[1];
  if (name === undefined) return '';
  const { cell, position } = frames.find(({ place }) => place !== null)?.place ?? {};
  const misplaced = cell && position && cell.isFile !== true ? misplacedMagic(cell.source, position) : '';
  return misplaced === '' ? cells.advice(name) : `: ${misplaced}`;
}

/** Returns what is wrong with a line that is a magic or a command below TypeScript; empty for other lines. */
export function misplacedMagic(source: string, { line }: Position): string {
  const text = source.split('\n')[line - 1] ?? '';
  const word = (MAGIC.exec(text) ?? COMMAND.exec(text))?.[1];
  if (word === undefined || !MAGIC_NAMES.some(known => known === word)) return '';
  const what = word === '!' ? 'a line with ! runs a command only' : `${word} is a magic, which works only`;
  return `${what} before the first line of TypeScript`;
}
