/** The stack of a thread that is stopped, as the notebook's user knows it: cells and files, no code of the kernel. */

import type { Debugger } from 'node:inspector';
import { basename } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { CellFiles } from './cell-files.ts';
import type { Debuggee, Stop } from './debuggee.ts';

export interface Frame {
  readonly shown: DebugProtocol.StackFrame;
  readonly callFrame: Debugger.CallFrame;
  /** The code of a cell outside of its functions. */
  readonly isCell: boolean;
}

interface Place {
  readonly functionName: string;
  readonly scriptId: string;
  /** Both from 0. */
  readonly line: number;
  readonly column: number;
  /** Where the function begins. */
  readonly start: { readonly line: number; readonly column: number };
  readonly callFrame: Debugger.CallFrame;
}

/** Innermost first; numbered from `firstId`. */
export async function framesOf(
  stop: Stop,
  debuggee: Debuggee,
  cells: CellFiles,
  firstId: number
): Promise<Frame[]> {
  const places = stop.callFrames.map(placeOfFrame).flatMap(place => {
    const script = debuggee.scripts.get(place.scriptId);
    return script === undefined || script.isInternal ? [] : [{ ...place, file: script.file }];
  });
  const answers = await debuggee.notebook.places([
    ...places.map(({ file, line, column }) => [file, line + 1, column] as const),
    ...places.map(({ file, start }) => [file, start.line + 1, start.column] as const)
  ]);
  const frames: Frame[] = [];
  for (const [index, { functionName, file, line, column, callFrame }] of places.entries()) {
    const answer = answers[index] ?? null;
    // The cell itself is a function that the kernel wrote around it.
    const isWhole = answers[places.length + index]?.line === null;
    if (answer !== null && answer.line === null && frames.length > 0) continue;
    const id = firstId + frames.length;
    const shown =
      answer === null
        ? {
            id,
            name: named(functionName),
            source: { name: basename(file), path: file },
            line: line + 1,
            column: column + 1
          }
        : {
            id,
            name: isWhole ? answer.label : named(functionName),
            source: { name: answer.label, path: cells.add(answer.source) },
            line: answer.line ?? 1,
            column: answer.column + 1
          };
    frames.push({
      shown,
      callFrame,
      isCell: isWhole
    });
  }
  return frames;
}

function placeOfFrame(callFrame: Debugger.CallFrame): Place {
  const { functionName, location, functionLocation = location } = callFrame;
  const { scriptId, lineNumber, columnNumber = 0 } = location;
  const start = { line: functionLocation.lineNumber, column: functionLocation.columnNumber ?? 0 };
  return { functionName, scriptId, line: lineNumber, column: columnNumber, start, callFrame };
}

function named(functionName: string): string {
  return functionName === '' ? '(anonymous)' : functionName;
}
