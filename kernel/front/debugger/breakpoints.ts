/** Breakpoints of all sources: kept across executions of a cell, and set in every script compiled from a source. */

import type { Debugger } from 'node:inspector';
import { isDeepStrictEqual } from 'node:util';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { CellFiles } from './cell-files.ts';
import { ConditionError, conditionOf } from './conditions.ts';
import type { Debuggee } from './debuggee.ts';
import { InspectorError } from './inspector-client.ts';
import { urlPattern, type ScriptFile } from './scripts.ts';

interface SetBreakpoint {
  readonly id: number;
  readonly path: string;
  readonly requested: DebugProtocol.SourceBreakpoint;
  /** Null if the breakpoint was refused; `message` has the reason. */
  readonly condition: string | null;
  /** The line where it stops, or the requested line until V8 has resolved it. */
  line: number;
  verified: boolean;
  message?: string;
}

/** A line where code can stop, in the client's source, and the corresponding place in the script. */
interface Candidate {
  readonly line: number;
  readonly column: number;
  readonly location: Debugger.Location;
  readonly isKernel: boolean;
}

/** In the code of a kernel's threads a breakpoint stops one thread. */
const STOPS_THREAD = '__stridelab.stops()';

const NO_CODE = 'The cell cannot stop at or after this line';

export class Breakpoints {
  readonly #cells: CellFiles;
  readonly #byPath = new Map<string, SetBreakpoint[]>();
  /** Breakpoints set in V8, by the inspector's id. */
  readonly #installed = new Map<string, SetBreakpoint>();
  #lastId = 0;
  /** Settles when the latest change has been made. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(cells: CellFiles) {
    this.#cells = cells;
  }

  /** Returns the breakpoints in the form that `debugInfo` reports. */
  list(): { source: string; breakpoints: object[] }[] {
    return [...this.#byPath]
      .filter(([, breakpoints]) => breakpoints.length > 0)
      .map(([source, breakpoints]) => ({
        source,
        breakpoints: breakpoints.map(({ requested, line }) => ({ ...requested, line }))
      }));
  }

  /** Maps the inspector's ids of breakpoints to the client's. */
  idsOf(installed: readonly string[]): number[] {
    return installed.flatMap(id => this.#installed.get(id)?.id ?? []);
  }

  clear(): void {
    this.#byPath.clear();
    this.forgetInstalled();
  }

  /** Forgets what was set in a process that has ended; the breakpoints are kept for the next process. */
  forgetInstalled(): void {
    this.#installed.clear();
    this.#turn = Promise.resolve();
  }

  /** Runs one change at a time: a cell that starts during a change would run past its breakpoints. */
  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(change);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Replaces all breakpoints of a source. Unchanged ones are not set again, since their cell may be running. */
  replace(
    path: string,
    requests: readonly DebugProtocol.SourceBreakpoint[],
    debuggee: Debuggee
  ): Promise<DebugProtocol.Breakpoint[]> {
    return this.#inTurn(async () => {
      const before = this.#byPath.get(path) ?? [];
      const breakpoints = requests.map(request => {
        const same = before.find(({ requested }) => isDeepStrictEqual(requested, request));
        return same ?? this.#make(path, request);
      });
      this.#byPath.set(path, breakpoints);
      for (const [breakpointId, installed] of [...this.#installed]) {
        if (installed.path !== path || breakpoints.includes(installed)) continue;
        this.#installed.delete(breakpointId);
        await debuggee.inspector.post('Debugger.removeBreakpoint', { breakpointId });
      }
      if (this.#cells.isCell(path)) await this.#verifyInCell(path, breakpoints, debuggee);
      else await this.#installInFile(breakpoints, debuggee);
      await this.#tellLines(debuggee);
      await this.#installInScripts(path, debuggee);
      return breakpoints.map(describe);
    });
  }

  /** Sets the breakpoints of a cell or a file in the script that the cell, or a kernel, was just compiled to. */
  installInScript(path: string, file: string, debuggee: Debuggee): Promise<void> {
    return this.#inTurn(async () => {
      await this.#tellLines(debuggee);
      if ((this.#byPath.get(path) ?? []).length === 0) return;
      await this.#installInScript(path, await debuggee.scripts.compiled(file), debuggee);
    });
  }

  async #installInScript(path: string, { file, scriptId }: ScriptFile, debuggee: Debuggee): Promise<void> {
    const key = this.#keyOf(path);
    const { locations } = await debuggee.inspector.post('Debugger.getPossibleBreakpoints', {
      start: { scriptId, lineNumber: 0, columnNumber: 0 }
    });
    const places = await debuggee.notebook.places(
      locations.map(({ lineNumber, columnNumber = 0 }) => [file, lineNumber + 1, columnNumber])
    );
    const candidates = places.flatMap((place, index): Candidate[] =>
      place === null ||
      place.line === null ||
      (place.path ?? place.source) !== key ||
      (place.inKernel ?? 'start') !== 'start'
        ? []
        : [
            {
              line: place.line,
              column: place.column,
              location: locations[index]!,
              isKernel: place.inKernel !== undefined
            }
          ]
    );
    for (const breakpoint of this.#byPath.get(path) ?? []) {
      const found = firstFrom(breakpoint.requested.line, candidates);
      if (found?.isKernel === false) await this.#install(breakpoint, found, debuggee);
      // A helper is in the script for each of its calls. Lines of the cell around a kernel have no code there.
      else
        for (const each of startsOf(breakpoint.line, candidates))
          await this.#install(breakpoint, each, debuggee);
    }
  }

  /** Returns how the executor identifies a cell or a file. */
  #keyOf(path: string): string {
    return this.#cells.sourceOf(path) ?? path;
  }

  async #tellLines(debuggee: Debuggee): Promise<void> {
    const all = [...this.#byPath].map(([path, breakpoints]) => ({
      key: this.#keyOf(path),
      lines: breakpoints.map(({ line }) => line)
    }));
    await debuggee.notebook.breakpoints(all);
  }

  /** Sets all breakpoints in a new process. */
  async installAll(debuggee: Debuggee): Promise<void> {
    for (const [path, breakpoints] of this.#byPath) {
      if (!this.#cells.isCell(path)) await this.#installInFile(breakpoints, debuggee);
    }
  }

  /** Handles the loading of a file that has breakpoints. Returns undefined if the place was already known. */
  resolved(event: Debugger.BreakpointResolvedEventDataType): DebugProtocol.Breakpoint | undefined {
    const breakpoint = this.#installed.get(event.breakpointId);
    const line = event.location.lineNumber + 1;
    if (breakpoint === undefined || this.#cells.isCell(breakpoint.path)) return undefined;
    if (breakpoint.verified && breakpoint.line === line) return undefined;
    place(breakpoint, line);
    return describe(breakpoint);
  }

  #make(path: string, requested: DebugProtocol.SourceBreakpoint): SetBreakpoint {
    this.#lastId += 1;
    const id = this.#lastId;
    const made = { id, path, requested, line: requested.line, verified: false };
    try {
      return { ...made, condition: conditionOf(requested, String(id)) };
    } catch (error) {
      if (!(error instanceof ConditionError)) throw error;
      return { ...made, condition: null, message: error.message };
    }
  }

  async #verifyInCell(
    path: string,
    breakpoints: readonly SetBreakpoint[],
    debuggee: Debuggee
  ): Promise<void> {
    const source = this.#cells.sourceOf(path);
    if (source === undefined) {
      for (const breakpoint of breakpoints) breakpoint.message ??= 'Unknown cell: send dumpCell first';
      return;
    }
    if (breakpoints.length > 0) await verify(source, breakpoints, debuggee);
  }

  /** Sets the breakpoints in scripts that there are: functions of earlier runs of a cell may still be alive. */
  async #installInScripts(path: string, debuggee: Debuggee): Promise<void> {
    if (this.#byPath.get(path)!.length === 0) return;
    const files = await debuggee.notebook.filesOf(this.#keyOf(path));
    for (const file of files) {
      const script = debuggee.scripts.newest(file);
      // V8 does not report the script of functions that are gone.
      if (script !== undefined) await this.#installInScript(path, script, debuggee);
    }
  }

  async #installInFile(breakpoints: readonly SetBreakpoint[], { inspector }: Debuggee): Promise<void> {
    const set = new Set(this.#installed.values());
    for (const breakpoint of breakpoints) {
      const { condition, requested, path } = breakpoint;
      if (condition === null || set.has(breakpoint)) continue;
      const { line, column } = requested;
      const { breakpointId, locations } = await inspector.post('Debugger.setBreakpointByUrl', {
        urlRegex: urlPattern(path),
        lineNumber: line - 1,
        ...(column === undefined ? {} : { columnNumber: column - 1 }),
        condition
      });
      this.#installed.set(breakpointId, breakpoint);
      const [location] = locations;
      if (location === undefined) breakpoint.message = 'The file is not loaded yet';
      else place(breakpoint, location.lineNumber + 1);
    }
  }

  async #install(
    breakpoint: SetBreakpoint,
    { location: { scriptId, lineNumber, columnNumber = 0 }, isKernel }: Candidate,
    { inspector }: Debuggee
  ): Promise<void> {
    if (breakpoint.condition === null) return;
    const location = { scriptId, lineNumber, columnNumber };
    const parts = [breakpoint.condition, isKernel ? STOPS_THREAD : ''];
    const condition = parts.filter(part => part !== '').join(' && ');
    try {
      const { breakpointId } = await inspector.post('Debugger.setBreakpoint', { location, condition });
      this.#installed.set(breakpointId, breakpoint);
    } catch (error) {
      // Two breakpoints were moved to one place, where V8 already has one.
      if (!(error instanceof InspectorError)) throw error;
    }
  }
}

/** Moves breakpoints to lines that can stop, as V8 reports them on the debugger's thread. */
async function verify(
  source: string,
  breakpoints: readonly SetBreakpoint[],
  { inspector }: Debuggee
): Promise<void> {
  let places: readonly { readonly line: number; readonly column: number }[] = [];
  let fault = NO_CODE;
  try {
    places = (await inspector.breakable(source)).map(({ line, column }) => ({ line: line + 1, column }));
  } catch (error) {
    if (!(error instanceof InspectorError)) throw error;
    fault = error.message;
  }
  for (const breakpoint of breakpoints) {
    if (breakpoint.condition === null) continue;
    const found = firstFrom(breakpoint.requested.line, places);
    if (found === undefined) breakpoint.message = fault;
    else place(breakpoint, found.line);
  }
}

/** Records that the breakpoint stops at this line. */
function place(breakpoint: SetBreakpoint, line: number): void {
  breakpoint.verified = true;
  breakpoint.line = line;
  delete breakpoint.message;
}

function firstFrom<Place extends { readonly line: number; readonly column: number }>(
  line: number,
  places: readonly Place[]
): Place | undefined {
  return places.filter(place => place.line >= line).sort((a, b) => a.line - b.line || a.column - b.column)[0];
}

/** Returns the first place in each line of the script that is this line of the source. */
function startsOf(line: number, candidates: readonly Candidate[]): Candidate[] {
  const places = candidates.filter(candidate => candidate.line === line);
  return [...Map.groupBy(places, ({ location }) => location.lineNumber).values()].map(([first]) => first!);
}

function describe({ id, path, line, verified, message }: SetBreakpoint): DebugProtocol.Breakpoint {
  return { id, line, verified, source: { path }, ...(message === undefined ? {} : { message }) };
}
