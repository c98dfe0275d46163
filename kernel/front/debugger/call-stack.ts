/** The call stack of a stopped thread, in the user's terms: cells and files, without code of the kernel. */

import type { Debugger } from 'node:inspector';
import { basename } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
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
    const place = debuggee.scripts.placeOf(location);
    const start = debuggee.scripts.placeOf(functionLocation);
    return place === undefined || start === undefined ? [] : [{ callFrame, place, start }];
  });
  const answers = await debuggee.notebook.places([
    ...places.map(({ place }) => place),
    ...places.map(({ start }) => start)
  ]);
  const frames: Frame[] = [];
  for (const [index, { place, callFrame }] of places.entries()) {
    const [file, line, column] = place;
    const answer = answers[index] ?? null;
    // The kernel wraps the code of a cell in a function.
    const isWhole = answers[places.length + index]?.line === null && answer?.inKernel === undefined;
    if (answer !== null && answer.line === null && frames.length > 0) continue;
    const shown = {
      id: firstId + frames.length,
      name: (isWhole && answer?.label) || callFrame.functionName || '(anonymous)',
      source:
        answer === null
          ? { name: basename(file), path: file }
          : { name: answer.label, path: cells.pathOf(answer) },
      line: answer === null ? line : (answer.line ?? 1),
      column: (answer?.column ?? column) + 1
    };
    frames.push({ shown, callFrame, isCell: isWhole });
  }
  return frames;
}
