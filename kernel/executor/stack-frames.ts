/** Reads V8's stack text and keeps the frames that belong to the notebook's user. */

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CellPlace, CellSources } from './cell-sources.ts';

export interface StackFrame {
  readonly functionName: string;
  /** File name or URL of the script. */
  readonly file: string;
  /** Both from 1, as V8 prints them. */
  readonly line: number;
  readonly column: number;
}

export interface ShownFrame {
  readonly text: string;
  /** Set for frames in cells. */
  readonly place: CellPlace | null;
}

const FRAME = /^\s+at (?:(?:async )?(.+?) \()?(?:async )?(.+?):(\d+):(\d+)\)?$/;
const KERNEL_FOLDER = dirname(dirname(fileURLToPath(import.meta.url)));

export function parseStack(stack: string): StackFrame[] {
  const frames: StackFrame[] = [];
  for (const line of stack.split('\n')) {
    const match = FRAME.exec(line);
    if (match === null) continue;
    frames.push({
      functionName: match[1] ?? '',
      file: match[2]!,
      line: Number(match[3]),
      column: Number(match[4])
    });
  }
  return frames;
}

/** Code of the kernel and of Node, which is no part of what the user wrote. */
export function isInternal(file: string): boolean {
  if (file === '' || file.startsWith('node:')) return true;
  return asPath(file).startsWith(KERNEL_FOLDER);
}

export function showFrames(frames: readonly StackFrame[], cells: CellSources): ShownFrame[] {
  const shown: ShownFrame[] = [];
  for (const { functionName, file, line, column } of frames) {
    const found = cells.find(asPath(file), { line, column: column - 1 });
    if (found !== null) {
      const { cell, position } = found;
      if (position === null) continue;
      const name =
        functionName === '<anonymous>' || functionName === 'Object.<anonymous>' ? '' : functionName;
      const where = `${cell.label}:${position.line}:${position.column + 1}`;
      shown.push({ text: name === '' ? where : `${name} (${where})`, place: { cell, position } });
    } else if (!isInternal(file)) {
      const where = `${asPath(file)}:${line}:${column}`;
      shown.push({ text: functionName === '' ? where : `${functionName} (${where})`, place: null });
    }
  }
  return shown;
}

function asPath(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}
