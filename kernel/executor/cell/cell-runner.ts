/** Runs cells, one at a time for each shell, and converts their results to outcomes. */

import { constants, Script } from 'node:vm';
import { hostWaited } from '../../../src/core/host-wait.ts';
import { setSourceFinder } from '../../../src/kernels/source/function-source.ts';
import { isInterruption, isKeyboardInterrupt } from '../../../src/notebook/interruption.ts';
import { jsxImports, nextJsxSource, withImportedJsx, type JsxImport } from '../../protocol/jsx-source.ts';
import { parseMagics } from '../../protocol/magics.ts';
import type { ExecuteRequest, ExpressionResult, Outcome } from '../../protocol/executor-messages.ts';
import { TsConfigReader, type CompilerOptions } from '../../protocol/tsconfig.ts';
import { UntypedFunctions } from './untyped-functions.ts';
import { cellBindings, type CellBindings } from './cell-bindings.ts';
import { DeclaredNames } from './declared-names.ts';
import { nameAdvice } from './name-advice.ts';
import { markInterrupted, runForCell } from '../context/cell-context.ts';
import type { CellSource, CellSources } from '../context/cell-sources.ts';
import { uninterrupted } from '../context/critical-section.ts';
import { giveAccess, NotebookAccess } from '../debugger/notebook-access.ts';
import { breakpointsSet } from '../debugger/start-gate.ts';
import { isDeviceLoss, withRestart } from '../errors/device-loss.ts';
import { renderElement } from '../values/foreign-elements.ts';
import { MagicError } from '../magics/magic.ts';
import { runFresh } from '../interrupt/fresh-task.ts';
import type { Interrupts } from '../interrupt/interrupt.ts';
import { RemoteImportError } from '../modules/remote-scheme.ts';
import { NotebookModules } from '../modules/notebook-modules.ts';
import { displaysSettled } from '../display/pending-displays.ts';
import { publish } from '../front/publish.ts';
import { render, type Rendering } from '../../../src/notebook/rendering.ts';
import { parseStack, type StackFrame } from '../context/stack-frames.ts';
import { formatStacks } from '../context/stack-texts.ts';
import { inspectable, stackOf } from '../errors/thrown-values.ts';
import { errorContent, interruptedContent, placedErrorContent } from '../errors/traceback.ts';
import { compileCell } from '../transform/compile-cell.ts';
import { NotebookNames } from '../transform/names.ts';
import { semicolonSetting } from './semicolon-setting.ts';
import { CellSyntaxError, positionAt } from '../transform/positions.ts';

type ProcessState = Pick<Interrupts, 'pythonRuns' | 'isAsked' | 'stopIfAsked' | 'settled'>;
type CellFunction = (bindings: CellBindings, require: NodeJS.Require) => unknown;

/** A running cell. One that was interrupted while it awaited may continue later; its outcome is then ignored. */
interface Running {
  readonly id: string;
  readonly file: string;
  over: boolean;
  /** Signals child processes of the cell to end. */
  readonly abort: AbortController;
  /** Set once the cell is compiled. */
  declared?: DeclaredNames;
  jsxImports?: readonly JsxImport[];
  readonly settle: (outcome: Outcome) => void;
}

/** Node's default of ten would often leave only frames of a library, without the cell that called it. */
const STACK_FRAMES = 32;

/** Throws the fault of a kernel on a simulated device, if nothing in the cell waited for it; no line of the cell is to blame. */
function throwFaults(): void {
  try {
    hostWaited();
  } catch (error) {
    if (error instanceof Error) error.stack = `${error.name}: ${error.message}`;
    throw error;
  }
}

export class CellRunner {
  readonly #cells: CellSources;
  readonly names = new NotebookNames();
  readonly #process: ProcessState;
  readonly #config: TsConfigReader;
  /** The last reported faults of the user's settings. */
  #faults = '';
  readonly #modules: NotebookModules;
  readonly #running = new Set<Running>();
  readonly #access: NotebookAccess;

  constructor(cells: CellSources, process: ProcessState) {
    this.#cells = cells;
    this.#process = process;
    Error.stackTraceLimit = STACK_FRAMES;
    formatStacks(cells);
    cells.advice = name => nameAdvice(name, this.names);
    this.#config = new TsConfigReader(cells.folder);
    this.#modules = new NotebookModules(cells, this.#config, async () => {
      const { remoteSchemes } = await import('../imports/remote-schemes.ts');
      return remoteSchemes(cells.folder);
    });
    this.#access = new NotebookAccess(cells, this.names);
    giveAccess(this.#access);
    const functions = new UntypedFunctions(cells, this.names);
    setSourceFinder(value => functions.find(value));
  }

  /** Does what every cell needs, so that the first one finds it loaded and compiled. */
  warmUp(): void {
    this.#config.read();
    compileCell('0', new NotebookNames());
    void render(0);
  }

  run(request: ExecuteRequest): Promise<Outcome> {
    const label = this.#cells.label(request.count);
    return new Promise(resolve => {
      const running: Running = {
        id: request.id,
        file: this.#cells.file(label),
        over: false,
        abort: new AbortController(),
        settle: outcome => {
          if (running.over) return;
          running.over = true;
          this.#running.delete(running);
          this.#modules.settle(outcome.status === 'error');
          const assigned = outcome.status === 'ok' ? undefined : running.declared?.fail();
          if (outcome.status === 'ok') this.#setJsx(running);
          else this.#setJsx(running, assigned ?? []);
          resolve(outcome.status === 'ok' || assigned === undefined ? outcome : { ...outcome, assigned });
        }
      };
      this.#running.add(running);
      const run = (): void => {
        if (!running.over) void this.#outcome(request, label, running).then(running.settle);
      };
      // A fresh task, so that an interrupt unwinds no code of the kernel. The cell counts as the latest from now on, not from its start.
      runForCell(request.id, () => runFresh(run), request.count, running.abort.signal);
    });
  }

  /** Renders an element of React or Preact, as `NotebookHost.renderElement`. */
  readonly renderElement = (value: object): ReturnType<typeof renderElement> =>
    renderElement(value, this.#modules.import, this.names.jsxSource);

  /** Ends the running cells, whose own promises will never settle, and returns their ids; empty between cells. */
  interrupt(frames: readonly StackFrame[]): readonly string[] {
    const stopped = [...this.#running];
    for (const running of stopped) {
      // If several run, the others were only waiting.
      const own = stopped.length === 1 || frames.some(({ file }) => file === running.file);
      markInterrupted(running.abort);
      // If a second interrupt terminated this, the outcome would be lost and the cell would never end.
      uninterrupted(() => {
        running.settle({ status: 'error', ...interruptedContent(own ? frames : [], this.#cells) });
      });
    }
    return stopped.map(({ id }) => id);
  }

  async #outcome(request: ExecuteRequest, label: string, running: Running): Promise<Outcome> {
    try {
      let shown: Rendering | Promise<Rendering> | undefined;
      await this.#runCell(request, label, running.abort.signal, value => {
        if (request.silent || value === undefined) return;
        shown = render(value);
      });
      // The interrupt arrived in the cell's last native call.
      if (this.#process.isAsked) await this.#process.settled();
      if (this.#process.isAsked) return { status: 'error', ...interruptedContent([], this.#cells) };
      const result = await shown;
      await displaysSettled(request.id);
      if (result !== undefined && !running.over) publishResult(request, result);
      throwFaults();
      await this.#showFigures(running);
      return { status: 'ok', expressions: await this.#expressions(request.expressions) };
    } catch (thrown) {
      await this.#showFigures(running);
      const error = inspectable(thrown);
      // The cell was interrupted, so errors during its unwinding are not shown. Python reports its own interrupt.
      if (!isKeyboardInterrupt(error) && (this.#process.isAsked || isInterruption(error)))
        return { status: 'error', ...interruptedContent(parseStack(stackOf(error)), this.#cells) };
      const content = this.#describe(error, label, request);
      return { status: 'error', ...(isDeviceLoss(error) ? withRestart(content) : content) };
    }
  }

  async #showFigures(running: Running): Promise<void> {
    if (!this.#process.pythonRuns || running.over) return;
    const { showFigures } = await import('../python/load-python.ts');
    await showFigures();
  }

  async #runCell(
    { id, code: source, origin, debug }: ExecuteRequest,
    label: string,
    signal: AbortSignal,
    result: (value: unknown) => void
  ): Promise<void> {
    const { code, magics } = parseMagics(source, word => this.names.has(word) || word in globalThis);
    const gate = debug === true ? id : undefined;
    if (magics.length === 0) return this.#evaluate(code, { label, source, origin }, result, gate);
    const { isTimed, runMagics, timed } = await import('../magics/run-magics.ts');
    await runMagics(magics, {
      cell: { label, source },
      folder: this.#cells.folder,
      names: this.names,
      schemes: this.#modules.schemes,
      signal,
      result,
      declare: values => uninterrupted(() => this.names.assign(values))
    });
    const evaluate = (): Promise<void> => this.#evaluate(code, { label, source, origin }, result, gate);
    await (isTimed(magics) ? timed(evaluate) : evaluate());
  }

  /** Evaluates TypeScript. Errors show `cell`; `gate` is the request of a cell with breakpoints. */
  async #evaluate(
    code: string,
    cell: Pick<CellSource, 'label' | 'source' | 'origin'>,
    result: (value: unknown) => void,
    gate?: string
  ): Promise<void> {
    // Before the cell is compiled: if a module is missing, none of its names is declared.
    const preparing = this.#modules.prepare(code);
    if (preparing !== undefined) await preparing;
    const settings = this.#settings();
    const imports = jsxImports(code);
    const options = withImportedJsx(settings.options, this.names.jsxSource, imports);
    const filename = this.#cells.file(cell.label);
    const place = { file: cell.label, line: 1, ...cell.origin };
    // If terminated midway, only some of the notebook's names would be declared.
    const { script, names } = uninterrupted(() => {
      const compiled = compileCell(code, this.names, options, place, settings.semicolonHides);
      const { script, toSource, compact, declared } = compiled;
      this.#cells.add({ ...cell, toSource, compact, compiled: { code, script } });
      return { script, names: new DeclaredNames(this.names, declared) };
    });
    try {
      const run = new Script(script, {
        filename,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
      }).runInThisContext() as CellFunction;
      const running = [...this.#running].find(({ file }) => file === filename);
      if (running !== undefined) Object.assign(running, { declared: names, jsxImports: imports });
      if (gate !== undefined) {
        const { KernelForms } = await import('../debugger/kernel-forms.ts');
        this.#access.kernels ??= new KernelForms(this.#cells);
        await breakpointsSet(gate, filename);
      }
      this.#access.kernels?.attach(gate !== undefined);
      const stopIfAsked = (): void => this.#process.stopIfAsked();
      const bindings = cellBindings(this.names, names, this.#modules, filename, result, stopIfAsked);
      await run(bindings, this.#modules.require);
    } catch (error) {
      names.fail();
      throw error;
    }
  }

  #setJsx({ jsxImports = [] }: Running, assigned?: readonly string[]): void {
    this.names.jsxSource = nextJsxSource(this.names.jsxSource, jsxImports, assigned && new Set(assigned));
  }

  /** Returns the user's settings. Faults in them are reported on stderr of the first cell affected. */
  #settings(): { options: CompilerOptions; semicolonHides: boolean } {
    const config = this.#config.read();
    const { hides, fault } = semicolonSetting(process.env, config);
    const faults = [config.fault, fault].filter(text => text !== undefined).join('\n');
    if (faults !== '' && faults !== this.#faults) process.stderr.write(`${faults}\n`);
    this.#faults = faults;
    return { options: config.compilerOptions, semicolonHides: hides };
  }

  async #expressions(
    expressions: Readonly<Record<string, string>>
  ): Promise<Record<string, ExpressionResult>> {
    const results: Record<string, ExpressionResult> = {};
    for (const [key, code] of Object.entries(expressions)) {
      const label = this.#cells.label(null);
      try {
        let value: unknown;
        await this.#evaluate(code, { label, source: code }, found => (value = found));
        const { data, metadata } = await render(value);
        results[key] = { status: 'ok', data: { ...data }, metadata: { ...metadata } };
      } catch (thrown) {
        results[key] = { status: 'error', ...this.#describe(inspectable(thrown), label, { code }) };
      }
    }
    return results;
  }

  #describe(
    error: unknown,
    label: string,
    { code, origin }: Pick<ExecuteRequest, 'code' | 'origin'>
  ): ReturnType<typeof errorContent> {
    const cell = { label, source: code, origin };
    if (error instanceof CellSyntaxError) return placedErrorContent(error, error.position, cell);
    if (error instanceof RemoteImportError && error.start !== undefined)
      return placedErrorContent(error, positionAt(code, error.start), cell);
    if (error instanceof MagicError) return placedErrorContent(error, positionAt(code, error.start), cell);
    return errorContent(error, this.#cells);
  }
}

function publishResult({ id, count }: ExecuteRequest, { data, metadata, problem, late }: Rendering): void {
  // The display id under which a late value replaces it.
  const transient = late === undefined ? {} : { display_id: id };
  if (Object.keys(data).length > 0)
    publish('execute_result', { execution_count: count, data, metadata, transient });
  if (problem !== undefined) process.stderr.write(`${problem}\n`);
  void late?.then(({ data, metadata }) => publish('update_display_data', { data, metadata, transient }));
}
