/** Formats errors for the notebook: the line in the user's code, the user's frames, then the causes. */

import { rulesIn } from '../../../src/base/rules.ts';
import { placeText } from '../../protocol/cell-origin.ts';
import { codeFrame, coloredFrame, styled } from '../../protocol/code-frame.ts';
import type { ErrorContent } from '../../protocol/messages.ts';
import type { CellSource, CellSources } from '../context/cell-sources.ts';
import {
  OWN_LIBRARY,
  parseStack,
  showFrames,
  type ShownFrame,
  type StackFrame
} from '../context/stack-frames.ts';
import {
  inspectable,
  messageOf,
  nameAndMessage,
  properties,
  pythonLines,
  related,
  stackOf
} from './thrown-values.ts';
import { hintOn, misplacedMagic } from './name-hints.ts';
import type { Position } from '../transform/positions.ts';

/** Maximum number of errors shown for one: itself, its causes, the parts of aggregates. */
const MAX_ERRORS = 16;
/** `all` also shows the frames of libraries; `%env` sets it for later cells. */
const FRAMES_VARIABLE = 'STRIDELAB_FRAMES';
const MAX_FRAMES = 24;

const heading = (text: string): string => styled('red', text);
const faint = (text: string): string => styled('gray', text);

export function errorContent(error: unknown, cells: CellSources): ErrorContent {
  const shown = inspectable(error);
  const { ename, evalue } = reported(shown, cells);
  return { ename, evalue, traceback: describe(shown, cells) };
}

/** Returns the name, the message with a hint, and the frames of an error. */
function reported(
  error: unknown,
  cells: CellSources
): { readonly ename: string; readonly evalue: string; readonly frames: readonly ShownFrame[] } {
  const { ename, evalue } = nameAndMessage(error);
  const frames = showFrames(parseStack(stackOf(error)), cells, messageOf(error));
  return { ename, evalue: `${evalue}${hintOn(error, frames, cells)}`, frames };
}

/** Returns the content for an error in the cell's text, which has a place but no frames. */
export function placedErrorContent(
  { name, message }: Error,
  position: Position,
  { label, source, origin }: Omit<CellSource, 'toSource'>
): ErrorContent {
  const misplaced = name === 'SyntaxError' ? misplacedMagic(source, position) : '';
  const evalue = misplaced === '' ? message : misplaced;
  const traceback = [
    `${heading(name)}: ${evalue}`,
    `    at ${placeText(label, origin, position.line, position.column + 1)}`,
    ...excerpt(source, position, origin?.line)
  ];
  return { ename: name, evalue, traceback };
}

/** Returns the content for an interrupted cell; `frames` is where it was, innermost first. */
export function interruptedContent(frames: readonly StackFrame[], cells: CellSources): ErrorContent {
  const evalue = 'The cell was interrupted; variables keep their values';
  const shown = showFrames(frames, cells);
  return {
    ename: 'Interrupted',
    evalue,
    traceback: [`${heading('Interrupted')}: ${evalue}`, ...located(shown)]
  };
}

function describe(thrown: unknown, cells: CellSources): string[] {
  const lines: string[] = [];
  const seen = new Set<unknown>();
  const tell = (error: unknown, how: string, indent: string): void => {
    const { ename, evalue, frames } = reported(error, cells);
    const relation = how === '' ? '' : faint(`${how} `);
    const told = seen.has(error) || seen.size >= MAX_ERRORS;
    if (typeof error === 'object') seen.add(error);
    const python = pythonLines(error);
    const places = python.length === 0 ? located(frames) : located(frames, OWN_LIBRARY);
    const own = told ? [] : [...rules(evalue), ...python, ...places, ...details(error)];
    const text = [`${relation}${heading(ename)}: ${evalue}`, ...own];
    lines.push(...text.map(line => indent + line));
    if (told) return;
    for (const part of related(error))
      tell(part.error, part.how, part.how === 'Caused by' ? indent : `${indent}  `);
  };
  tell(thrown, '', '');
  return lines;
}

/**
 * Formats frames, with source lines at the user's innermost frame and at the innermost one in a cell. Library frames are only counted,
 * but not those of `known`: between a cell and its Python code, this library's are always the same.
 */
function located(frames: readonly ShownFrame[], known?: string): string[] {
  const own = frames.filter(({ library }) => library === null);
  const shown = own.length === 0 || process.env[FRAMES_VARIABLE] === 'all' ? frames : own;
  const folded = shown === frames ? [] : frames.filter(({ library }) => library !== known);
  return [...framesWithLines(shown), ...foldedFrames(folded)];
}

/** Returns `… 2 frames of stridelab and 1 of zod` for the frames that are left out. */
function foldedFrames(frames: readonly ShownFrame[]): string[] {
  const counts = new Map<string, number>();
  for (const { library } of frames) if (library !== null) counts.set(library, (counts.get(library) ?? 0) + 1);
  if (counts.size === 0) return [];
  const [first, ...others] = [...counts].map(([library, count], at) =>
    at === 0 ? `${count} ${count === 1 ? 'frame' : 'frames'} of ${library}` : `${count} of ${library}`
  );
  return [faint(`    … ${[first, ...others].join(', ')} (${FRAMES_VARIABLE}=all shows them)`)];
}

function framesWithLines(frames: readonly ShownFrame[]): string[] {
  const lines: string[] = [];
  let inFile = false;
  let inCell = false;
  for (const { text, place } of frames.slice(0, MAX_FRAMES)) {
    lines.push(`    at ${text}`);
    if (place === null || place.position === null || inCell) continue;
    const { cell, position } = place;
    if (cell.isFile !== true) inCell = true;
    else if (inFile) continue;
    inFile = true;
    lines.push(...excerpt(cell.source, position, cell.origin?.line));
  }
  if (frames.length > MAX_FRAMES) lines.push(faint(`    … ${frames.length - MAX_FRAMES} more`));
  return lines;
}

/** Returns the texts of cited rules, since a number alone means nothing to the reader, also in a saved notebook. */
function rules(message: string): string[] {
  return rulesIn(message).map(rule => faint(`    ${rule}`));
}

function details(error: unknown): string[] {
  return properties(error).map(property => `    ${property}`);
}

/** Formats the lines around a place, with a caret below it. `firstLine` is the number of the first line of `source` in its file. */
function excerpt(source: string, { line, column }: Position, firstLine = 1): string[] {
  const place = { line: line - 1, character: column };
  const frame = codeFrame(source, { start: place, end: place }, { firstLine, around: 2 });
  return coloredFrame(frame, 'red', '    ');
}
