/** Kernels written in TypeScript in the debugger: scripts that run their threads, and whose lines are lines of cells. */

import { join } from 'node:path';
import { Script } from 'node:vm';
import { emitDebugForm, type DebugForm } from '../../../src/kernels/debug/emit.ts';
import { canDebug, debugLaunch, type ThreadCode, type ThreadCodes } from '../../../src/kernels/debug/run.ts';
import { setKernelDebugger, type DebuggableLaunch } from '../../../src/kernels/launch/kernel-debugger.ts';
import type { Program } from '../../../src/kernels/program/program.ts';
import type { CellBreakpoints, CellPlaceAnswer } from '../../protocol/debugger-messages.ts';
import type { CellSource, CellSources } from '../context/cell-sources.ts';
import { sendToFront } from '../front/front-link.ts';

/** A kernel as the debugger runs it. */
interface Compiled {
  readonly form: DebugForm;
  /** The cells with the kernel's source, by the indices of its files; undefined for files that are no cells. */
  readonly cells: readonly (CellSource | undefined)[];
  readonly codes: ThreadCodes;
}

/** How long a kernel waits for its breakpoints, if the debugger is detached meanwhile. */
const PATIENCE_MS = 5_000;

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

  setBreakpoints(cells: readonly CellBreakpoints[]): void {
    this.#lines = new Map(cells.map(({ source, lines }) => [source, new Set(lines)]));
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
    const cell = place === null ? undefined : compiled.cells[place.file];
    const { label, source } = cell ?? compiled.cells.find(each => each !== undefined)!;
    const position = cell === undefined ? null : place;
    return { label, source, line: position?.line ?? null, column: position?.column ?? 0, isKernel: true };
  }

  /** Returns the scripts of kernels with source in a cell with this text. */
  filesOf(source: string): string[] {
    return [...this.#byFile]
      .filter(([, { cells }]) => cells.some(cell => cell?.source === source))
      .map(([file]) => file);
  }

  #run(launch: DebuggableLaunch): boolean {
    if (this.#lines.size === 0) return false;
    const { program } = launch.lowered;
    const known = this.#byProgram.get(program);
    const form = known?.form ?? emitDebugForm(program);
    const cells = known?.cells ?? program.files.map(({ name }) => this.#cells.get(this.#cells.file(name)));
    const hasBreakpoint = form.lines.some(
      place => place !== null && this.#lines.get(cells[place.file]?.source ?? '')?.has(place.line) === true
    );
    if (!hasBreakpoint || !canDebug(launch)) return false;
    const compiled = known ?? this.#compile(program, form, cells);
    debugLaunch(launch, form, compiled.codes);
    return true;
  }

  #compile(program: Program, form: DebugForm, cells: Compiled['cells']): Compiled {
    this.#count += 1;
    const id = this.#count;
    const found = cells.filter(cell => cell !== undefined);
    const file = join(this.#cells.folder, `${found[0]!.label} ${program.name} ${id}`);
    const stopping = new Script(form.code, { filename: file }).runInThisContext() as ThreadCode;
    // Has the name that Node gives, so that the debugger skips it.
    const running = new Script(form.code).runInThisContext() as ThreadCode;
    const compiled = { form, cells, codes: { stopping, running } };
    this.#byFile.set(file, compiled);
    this.#byProgram.set(program, compiled);
    sendToFront({ kind: 'kernel-compiled', id, file, sources: found.map(({ source }) => source) });
    // The launch is synchronous. The inspector interrupts the loop, to set the breakpoints and to open the gate.
    const end = Date.now() + PATIENCE_MS;
    while (!this.#open.has(id) && Date.now() < end) Atomics.wait(this.#pause, 0, 0, 1);
    this.#open.delete(id);
    return compiled;
  }
}
