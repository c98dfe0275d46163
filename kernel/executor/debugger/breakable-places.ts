/** Where a cell that has not run yet could stop: it is compiled on this thread, and V8 is asked. */

import { Session, type Debugger } from 'node:inspector/promises';
import { Script } from 'node:vm';
import type { InspectorPlace } from '../../protocol/debugger-messages.ts';
import { parseMagics } from '../../protocol/magics.ts';
import { TsConfigReader } from '../../protocol/tsconfig.ts';
import { compileCell } from '../transform/compile-cell.ts';
import { NotebookNames } from '../transform/names.ts';
import { stopPlace } from './stop-place.ts';

/** This thread's own: what the notebook's names are does not change where statements begin. */
const names = new NotebookNames();
const settings = new TsConfigReader(process.cwd());
let count = 0;
/** Functions of cells that V8 is being asked about: their scripts are dropped with them. */
const asked = new Set<unknown>();

/** Places in the cell's text. Throws `CellSyntaxError`. */
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
    // Gives the cell's function, which is never called; before that the debugger does not know the script.
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
