/** Kernels written in TypeScript in the debugger: scripts that run their threads, and whose lines are lines of cells and files. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Script } from 'node:vm';
import { emitDebugForm, type DebugForm } from '../../../src/kernels/debug/emit.ts';
import { canDebug, debugLaunch, type ThreadCode, type ThreadCodes } from '../../../src/kernels/debug/run.ts';
import { setKernelDebugger, type DebuggableLaunch } from '../../../src/kernels/launch/kernel-debugger.ts';
import type { Program } from '../../../src/kernels/program/program.ts';
import type { BreakpointLines, CellPlaceAnswer } from '../../protocol/debugger-messages.ts';
import type { CellSources } from '../context/cell-sources.ts';
import { sendToFront } from '../front/front-link.ts';

/** A cell or a file with source of a kernel. */
type Origin = Pick<CellPlaceAnswer, 'label' | 'source' | 'path'>;

/** A kernel as the debugger runs it. */
interface Compiled {
  readonly form: DebugForm;
  /** By the indices of the program's files; undefined for one that is not known, such as a file that was deleted. */
  readonly origins: readonly (Origin | undefined)[];
  readonly codes: ThreadCodes;
}

/** How long a kernel waits for its breakpoints, if the debugger is detached meanwhile. */
const PATIENCE_MS = 5_000;

/** Identifies a cell by its text, and a file by its path. */
const keyOf = (origin: Origin | undefined): string => origin?.path ?? origin?.source ?? '';

const NO_PLACE = { line: null, column: 0, part: 'rest' } as const;

export class KernelForms {
  readonly #cells: CellSources;
  readonly #byFile = new Map<string, Compiled>();
  readonly #byProgram = new WeakMap<Program, Compiled>();
  readonly #open = new Set<number>();
  readonly #pause = new Int32Array(new SharedArrayBuffer(4));
  #lines: ReadonlyMap<string, ReadonlySet<number>> = new Map();
  #count = 0;

  constructor(cells: CellSources) {
    this.#cells = cells;
  }

  /** Called with each cell: whether the debugger is attached. */
  attach(isAttached: boolean): void {
    setKernelDebugger(isAttached ? launch => this.#run(launch) : null);
  }

  setBreakpoints(breakpoints: readonly BreakpointLines[]): void {
    this.#lines = new Map(breakpoints.map(({ key, lines }) => [key, new Set(lines)]));
  }

  /** Lets a kernel go on that waits for its breakpoints. */
  open(id: number): void {
    this.#open.add(id);
  }

  /** Returns a place in the script of a kernel; undefined for other files. */
  place(file: string, line: number): CellPlaceAnswer | undefined {
    const compiled = this.#byFile.get(file);
    if (compiled === undefined) return undefined;
    const place = compiled.form.lines[line - 1] ?? null;
    const origin = place === null ? undefined : compiled.origins[place.file];
    const { part, ...position } = (origin && place) ?? NO_PLACE;
    const known = origin ?? compiled.origins.find(each => each !== undefined)!;
    return { ...known, line: position.line, column: position.column, inKernel: part };
  }

  /** Returns the scripts of kernels with source in a cell with this text, or in the file with this path. */
  filesOf(key: string): string[] {
    return [...this.#byFile]
      .filter(([, { origins }]) => origins.some(origin => keyOf(origin) === key))
      .map(([file]) => file);
  }

  #originOf(name: string): Origin | undefined {
    const path = resolve(this.#cells.folder, name);
    const cell = this.#cells.get(path);
    if (cell !== undefined) return { label: cell.label, source: cell.source };
    return existsSync(path) ? { label: name, source: '', path } : undefined;
  }

  #run(launch: DebuggableLaunch): boolean {
    if (this.#lines.size === 0) return false;
    const { program } = launch.lowered;
    const known = this.#byProgram.get(program);
    const form = known?.form ?? emitDebugForm(program);
    const origins = known?.origins ?? program.files.map(({ name }) => this.#originOf(name));
    const hasBreakpoint = form.lines.some(
      place =>
        place?.part === 'start' && this.#lines.get(keyOf(origins[place.file]))?.has(place.line) === true
    );
    if (!hasBreakpoint || !canDebug(launch)) return false;
    const compiled = known ?? this.#compile(program, form, origins);
    debugLaunch(launch, form, compiled.codes);
    return true;
  }

  #compile(program: Program, form: DebugForm, origins: Compiled['origins']): Compiled {
    this.#count += 1;
    const id = this.#count;
    const found = origins.filter(origin => origin !== undefined);
    const file = join(this.#cells.folder, `${found[0]!.label.replaceAll('/', ' ')} ${program.name} ${id}`);
    const stopping = new Script(form.code, { filename: file }).runInThisContext() as ThreadCode;
    // Has the name that Node gives, so that the debugger skips it.
    const running = new Script(form.code).runInThisContext() as ThreadCode;
    const compiled = { form, origins, codes: { stopping, running } };
    this.#byFile.set(file, compiled);
    this.#byProgram.set(program, compiled);
    sendToFront({ kind: 'kernel-compiled', id, file, origins: found });
    // The launch is synchronous. The inspector interrupts the loop, to set the breakpoints and to open the gate.
    const end = Date.now() + PATIENCE_MS;
    while (!this.#open.has(id) && Date.now() < end) Atomics.wait(this.#pause, 0, 0, 1);
    this.#open.delete(id);
    return compiled;
  }
}
