/** Errors as the notebook shows them: the cell's own line, the user's frames, then the causes. */

import { inspect, styleText } from 'node:util';
import type { ErrorContent } from '../protocol/messages.ts';
import type { CellPlace, CellSources } from './cell-sources.ts';
import { parseStack, showFrames, type ShownFrame, type StackFrame } from './stack-frames.ts';
import type { Position } from './transform/positions.ts';

const EXCERPT_LINES = 2;
const MAX_CAUSES = 8;

const heading = (text: string): string => styleText('red', text, { validateStream: false });
const marker = (text: string): string => styleText('red', text, { validateStream: false });
const faint = (text: string): string => styleText('gray', text, { validateStream: false });

export function errorContent(error: unknown, cells: CellSources): ErrorContent {
  const { ename, evalue } = nameAndMessage(error);
  return { ename, evalue, traceback: describe(error, cells) };
}

/** A fault of the cell's text, which has a place but no frames. */
export function placedErrorContent(
  { name, message }: Error,
  { line, column }: Position,
  label: string,
  source: string
): ErrorContent {
  const traceback = [
    `${heading(name)}: ${message}`,
    `    at ${label}:${line}:${column + 1}`,
    ...excerpt(source, line, column)
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

function nameAndMessage(error: unknown): { ename: string; evalue: string } {
  if (error instanceof Error) return { ename: String(error.name), evalue: String(error.message) };
  return { ename: 'Uncaught', evalue: typeof error === 'string' ? error : inspect(error) };
}

function describe(error: unknown, cells: CellSources): string[] {
  const lines: string[] = [];
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES; depth += 1) {
    const { ename, evalue } = nameAndMessage(current);
    lines.push(`${depth > 0 ? faint('Caused by ') : ''}${heading(ename)}: ${evalue}`);
    if (!(current instanceof Error)) break;
    lines.push(...located(showFrames(parseStack(current.stack ?? ''), cells)), ...details(current));
    if (current.cause === undefined || current.cause === current) break;
    current = current.cause;
  }
  return lines;
}

/** Frames, with the lines around the innermost one that lies in a cell. */
function located(frames: readonly ShownFrame[]): string[] {
  const lines: string[] = [];
  let quoted = false;
  for (const { text, place } of frames) {
    lines.push(`    at ${text}`);
    if (place === null || quoted) continue;
    lines.push(...quote(place));
    quoted = true;
  }
  return lines;
}

function quote({ cell, position }: CellPlace): string[] {
  return excerpt(cell.source, position.line, position.column);
}

function excerpt(source: string, line: number, column: number): string[] {
  const all = source.split('\n');
  const first = Math.max(1, line - EXCERPT_LINES);
  const last = Math.min(all.length, line + EXCERPT_LINES);
  const width = String(last).length;
  const lines: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const text = all[number - 1]!;
    const row = `${String(number).padStart(width)} | ${text}`;
    if (number !== line) {
      lines.push(faint(`      ${row}`));
      continue;
    }
    // Tabs stay, so that the caret stands below its character whatever their width.
    const indent = text.slice(0, column).replace(/[^\t]/g, ' ');
    lines.push(`    ${marker('>')} ${row}`, `      ${' '.repeat(width)} | ${indent}${marker('^')}`);
  }
  return lines;
}

/** Properties that the thrower added, and the parts of an aggregate. */
function details(error: Error): string[] {
  const lines: string[] = [];
  for (const [key, value] of Object.entries(error)) {
    if (key === 'name' || key === 'cause') continue;
    lines.push(`    ${key}: ${inspect(value, { depth: 1, breakLength: Infinity })}`);
  }
  if (error instanceof AggregateError) {
    for (const part of error.errors as unknown[]) {
      const { ename, evalue } = nameAndMessage(part);
      lines.push(`    - ${ename}: ${evalue}`);
    }
  }
  return lines;
}
