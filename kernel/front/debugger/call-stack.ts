/** The call stack of a stopped thread, as the user knows it: cells and files, without code of the kernel. */

import type { Debugger } from 'node:inspector';
import { basename } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { PlaceQuery } from '../../protocol/debugger-messages.ts';
import type { CellFiles } from './cell-files.ts';
import type { Debuggee, Stop } from './debuggee.ts';

export interface Frame {
  readonly shown: DebugProtocol.StackFrame;
  readonly callFrame: Debugger.CallFrame;
  /** True for the top-level code of a cell. */
  readonly isCell: boolean;
}

/** Returns the frames, innermost first, numbered from `firstId`. */
export async function framesOf(
  stop: Stop,
  debuggee: Debuggee,
  cells: CellFiles,
  firstId: number
): Promise<Frame[]> {
  const places = stop.callFrames.flatMap(callFrame => {
    const { location, functionLocation = location } = callFrame;
    const script = debuggee.scripts.get(location.scriptId);
    if (script === undefined || script.isInternal) return [];
    const { file } = script;
    return [{ callFrame, file, place: placeIn(file, location), start: placeIn(file, functionLocation) }];
  });
  const answers = await debuggee.notebook.places([
    ...places.map(({ place }) => place),
    ...places.map(({ start }) => start)
  ]);
  const frames: Frame[] = [];
  for (const [index, { file, place, callFrame }] of places.entries()) {
    const name = callFrame.functionName || '(anonymous)';
    const [, line, column] = place;
    const answer = answers[index] ?? null;
    // The kernel wraps the code of a cell in a function.
    const isWhole = answers[places.length + index]?.line === null;
    if (answer !== null && answer.line === null && frames.length > 0) continue;
    const id = firstId + frames.length;
    const shown =
      answer === null
        ? {
            id,
            name,
            source: { name: basename(file), path: file },
            line,
            column: column + 1
          }
        : {
            id,
            name: isWhole ? answer.label : name,
            source: { name: answer.label, path: cells.add(answer.source) },
            line: answer.line ?? 1,
            column: answer.column + 1
          };
    frames.push({ shown, callFrame, isCell: isWhole });
  }
  return frames;
}

function placeIn(file: string, { lineNumber, columnNumber = 0 }: Debugger.Location): PlaceQuery {
  return [file, lineNumber + 1, columnNumber];
}
