/** Parses V8's stack text and keeps the frames of the user's code. */

import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placeText } from '../../protocol/cell-origin.ts';
import { compiledFolder } from '../../protocol/own-files.ts';
import type { CellPlace, CellSources } from './cell-sources.ts';
import { namedPlace } from './named-places.ts';

export interface StackFrame {
  readonly functionName: string;
  /** File name or URL of the script. */
  readonly file: string;
  /** Line and column from 1, as V8 prints them. */
  readonly line: number;
  readonly column: number;
}

export interface ShownFrame {
  readonly text: string;
  /** Set for frames in cells and in files of the user. */
  readonly place: CellPlace | null;
  /** The package that the code belongs to; null for the user's code. */
  readonly library: string | null;
}

const FRAME = /^\s+at (?:(?:async )?(.+?) \()?(?:async )?(.+?):(\d+):(\d+)\)?$/;
/** Functions without a name, including cells and module bodies. */
const ANONYMOUS = /^(?:(?:Object\.|Module\.)?<anonymous>)?$/;
const KERNEL_FOLDER = join(compiledFolder, 'kernel');
const OWN_FOLDER = join(compiledFolder, 'src') + sep;
/** The name of this library in `ShownFrame.library`. */
export const OWN_LIBRARY = 'stridelab';

export function parseStack(stack: string): StackFrame[] {
  const frames = faultFrames(stack);
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

/** Parses the place of a syntax or link error: file and line, the source line, and a caret. */
function faultFrames(stack: string): StackFrame[] {
  const match = /^((?:file:\/\/)?\/[^\n]+):(\d+)\n[^\n]*\n(\s*)\^/.exec(stack);
  if (match === null) return [];
  return [{ functionName: '', file: match[1]!, line: Number(match[2]), column: match[3]!.length + 1 }];
}

/** Returns whether the code belongs to the kernel or Node. */
export function isInternal(file: string): boolean {
  if (file === '' || file.startsWith('node:')) return true;
  return asPath(file).startsWith(KERNEL_FOLDER);
}

/** Returns whether the code belongs to the kernel, Node or this library. */
export function isProducts(file: string): boolean {
  return isInternal(file) || asPath(file).startsWith(OWN_FOLDER);
}

/** Returns the frames of the user and of libraries. The place of the innermost one is that of what `message` names, if it names something. */
export function showFrames(
  frames: readonly StackFrame[],
  cells: CellSources,
  message?: string
): ShownFrame[] {
  const shown: ShownFrame[] = [];
  for (const { functionName, file, line, column } of frames) {
    if (isInternal(file)) continue;
    let place = cells.find(file, { line, column: column - 1 });
    // Code that the kernel added is not shown.
    if (place !== null && place.position === null) continue;
    if (message !== undefined && shown.length === 0 && place !== null && place.position !== null)
      place = { ...place, position: namedPlace(message, place.cell.source, place.position) };
    const frame = shownFrame(functionName, file, `${asPath(file)}:${line}:${column}`, place);
    // Waiting for an import adds the place of the import once more.
    if (ANONYMOUS.test(functionName) && frame.text === shown.at(-1)?.text) continue;
    shown.push(frame);
  }
  return shown;
}

function shownFrame(
  functionName: string,
  file: string,
  otherPlace: string,
  place: CellPlace | null
): ShownFrame {
  const name = ANONYMOUS.test(functionName) ? '' : functionName;
  const where =
    place === null || place.position === null
      ? otherPlace
      : placeText(place.cell.label, place.cell.origin, place.position.line, place.position.column + 1);
  const library = place === null ? libraryOf(asPath(file)) : null;
  return { text: name === '' ? where : `${name} (${where})`, place, library };
}

function libraryOf(path: string): string | null {
  if (path.startsWith(OWN_FOLDER)) return OWN_LIBRARY;
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? null;
}

function asPath(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}
