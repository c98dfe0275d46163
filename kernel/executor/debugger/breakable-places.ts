/** Finds the places where a cell that has not run can stop: V8 analyses the cell, compiled on this thread. */

import { Session, type Debugger } from 'node:inspector/promises';
import { Script } from 'node:vm';
import type { InspectorPlace } from '../../protocol/debugger-messages.ts';
import { parseMagics } from '../../protocol/magics.ts';
import { TsConfigReader } from '../../protocol/tsconfig.ts';
import { compileCell } from '../transform/compile-cell.ts';
import { NotebookNames } from '../transform/names.ts';
import { stopPlace } from './stop-place.ts';

/** A separate set: the notebook's names do not affect where statements begin. */
const names = new NotebookNames();
const settings = new TsConfigReader(process.cwd());
let count = 0;
/** Functions of cells that V8 is analysing; V8 could drop the script of a function that nothing references. */
const asked = new Set<unknown>();

/** Returns the places in the cell's text. Throws `CellSyntaxError`. */
export async function breakablePlaces(source: string): Promise<InspectorPlace[]> {
  const { code } = parseMagics(source, word => word in globalThis);
  const { script, toSource } = compileCell(code, names, settings.read().compilerOptions);
  count += 1;
  const filename = `stridelab:cell-${count}`;
  const locations = await possibleLocations(script, filename);
  return locations.flatMap(({ lineNumber, columnNumber = 0 }) => {
    const place = stopPlace(toSource, { line: lineNumber + 1, column: columnNumber });
    return place === null ? [] : [{ line: place.line - 1, column: place.column }];
  });
}

async function possibleLocations(script: string, filename: string): Promise<Debugger.BreakLocation[]> {
  const session = new Session();
  session.connect();
  try {
    let scriptId: string | undefined;
    session.on('Debugger.scriptParsed', ({ params }) => {
      if (params.url === filename) ({ scriptId } = params);
    });
    await session.post('Debugger.enable');
    // Returns the cell's function, which is never called; without this the debugger does not know the script.
    asked.add(new Script(script, { filename }).runInThisContext());
    if (scriptId === undefined) return [];
    const start = { scriptId, lineNumber: 0, columnNumber: 0 };
    const { locations } = await session.post('Debugger.getPossibleBreakpoints', { start });
    return locations;
  } finally {
    asked.clear();
    session.disconnect();
  }
}
