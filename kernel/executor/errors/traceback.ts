/** Errors as the notebook shows them: the user's own line, the user's frames, then the causes. */

import type { ErrorContent } from '../../protocol/messages.ts';
import { rulesIn } from '../../../src/base/rules.ts';
import { placeText } from '../../protocol/cell-origin.ts';
import type { CellSource, CellSources } from '../context/cell-sources.ts';
import { excerpt, faint, heading } from './excerpt.ts';
import { parseStack, showFrames, type ShownFrame, type StackFrame } from '../context/stack-frames.ts';
import { lookable, nameAndMessage, properties, pythonLines, related, stackOf } from './thrown-values.ts';
import type { Position } from '../transform/positions.ts';

/** Most errors shown for one: itself, its causes, the parts of aggregates. */
const MAX_ERRORS = 16;
/** `all` shows the frames of libraries too; `%env` sets it for the cells from there on. */
const FRAMES_VARIABLE = 'STRIDELAB_FRAMES';
/** Most frames shown for one error. */
const MAX_FRAMES = 24;

export function errorContent(error: unknown, cells: CellSources): ErrorContent {
  const shown = lookable(error);
  return { ...nameAndMessage(shown), traceback: describe(shown, cells) };
}

/** A fault of the cell's text, which has a place but no frames. */
export function placedErrorContent(
  { name, message }: Error,
  position: Position,
  { label, source, origin }: Omit<CellSource, 'toSource'>
): ErrorContent {
  const traceback = [
    `${heading(name)}: ${message}`,
    `    at ${placeText(label, origin, position.line, position.column + 1)}`,
    ...excerpt(source, position, origin?.line)
  ];
  return { ename: name, evalue: message, traceback };
}

/** What stopping a cell reports; `frames` is where it was, innermost first. */
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
    const { ename, evalue } = nameAndMessage(error);
    const relation = how === '' ? '' : faint(`${how} `);
    const told = seen.has(error) || seen.size >= MAX_ERRORS;
    if (typeof error === 'object') seen.add(error);
    const frames = (): string[] => located(showFrames(parseStack(stackOf(error)), cells));
    const own = told ? [] : [...rules(evalue), ...pythonLines(error), ...frames(), ...details(error)];
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
 * Frames, with the lines around the innermost one that is the user's own, and around the one in a cell. Those of libraries are
 * counted only, where others are there and nobody asked for all.
 */
function located(frames: readonly ShownFrame[]): string[] {
  const own = frames.filter(({ library }) => library === null);
  const shown = own.length === 0 || process.env[FRAMES_VARIABLE] === 'all' ? frames : own;
  return [...framesWithLines(shown), ...foldedFrames(shown === frames ? [] : frames)];
}

/** `… 2 frames of stridelab and 1 of zod`, for those that are left out. */
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

/** A number says nothing to who reads the error: the sentence behind it stands below the message, also in a saved notebook. */
function rules(message: string): string[] {
  return rulesIn(message).map(rule => faint(`    ${rule}`));
}

function details(error: unknown): string[] {
  return properties(error).map(property => `    ${property}`);
}
