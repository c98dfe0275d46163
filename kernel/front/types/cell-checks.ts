/** Decides for each cell whether its types are checked before it runs, while it runs, or not at all. */

import type { Outcome } from '../../protocol/executor-messages.ts';
import { remoteMentions } from '../../protocol/remote-specifiers.ts';
import { parseMagics, typesMode, type TypesMode } from '../../protocol/magics.ts';
import type { LanguageSupport } from '../language/language-support.ts';
import type { UserConfig } from '../typescript/user-config.ts';
import type { CellDiagnostic } from '../typescript/diagnostics.ts';
import {
  countedErrors,
  DIAGNOSTICS_TYPE,
  reportBundle,
  reportData,
  reportLines,
  type ReportedCell
} from './diagnostic-report.ts';
import { typeSettings, type TypeSettings } from './type-settings.ts';

export interface CheckedCell extends ReportedCell {
  /** Whether the cell shows nothing and is therefore not checked. */
  readonly silent: boolean;
}

export interface CheckHost {
  /** Publishes a message of the cell, even after the cell has ended. */
  publish(cell: string, type: 'display_data', content: object): void;
  /** Writes a line to the cell's standard error. */
  tell(cell: string, line: string): void;
}

export type Refusal = Outcome & { readonly status: 'error' };

/** Actions that decide about a cell: run it, or end it with a refusal. */
export interface Admission {
  execute(): void;
  refuse(refusal: Refusal): void;
}

/** Delay of the start-up work, so that the client's first requests are answered first. */
const LOAD_AFTER_MS = 25;
/** Time without a cell that starts or ends after which checks begin: they would take a processor from cells that follow each other. */
const PAUSE_MS = 10;
/** Checks that may run beside the cells. A cell that would add another waits for the oldest: otherwise a long run collects them. */
export const MAX_BESIDE = 500;
/** Magics that change what can be imported: the cell is checked after they have run. */
const CHANGES_PACKAGES = new Set(['npm', 'cd']);

export class CellChecks {
  readonly #language: LanguageSupport;
  readonly #config: UserConfig;
  readonly #host: CheckHost;
  #magic: TypesMode | undefined;
  /** Faults of the settings that were already reported. */
  readonly #faults = new Set<string>();
  /** Cells whose check starts when they have ended. */
  readonly #late = new Map<string, ReportedCell>();
  /** Cells whose diagnostics are not known yet. */
  readonly #pending = new Set<string>();
  /** Functions that stop cells which wait for their check: with a refusal, or silently. */
  readonly #waiting = new Set<(refusal?: Refusal) => void>();
  /** Checks that run in parallel with their cells. */
  readonly #beside = new Set<Promise<void>>();
  /** Functions that begin the checks which wait for a pause. */
  #beginning: (() => void)[] = [];
  #pause: NodeJS.Timeout | undefined;

  constructor(language: LanguageSupport, config: UserConfig, host: CheckHost) {
    this.#language = language;
    this.#config = config;
    this.#host = host;
  }

  /** Prepares for the first cell; starts the server if that cell will wait for it. */
  start(): void {
    const load = async (): Promise<void> => {
      await this.#config.load();
      if (this.#settings().mode === 'strict') this.#language.warmUp();
    };
    setTimeout(() => void load(), LOAD_AFTER_MS).unref();
  }

  run(cell: CheckedCell, admission: Admission): void {
    const remote = remoteMentions(cell.code).length > 0;
    if (this.#config.read() === undefined || remote) void this.#runPrepared(cell, admission, remote);
    else this.#run(cell, admission);
  }

  async #runPrepared(cell: CheckedCell, admission: Admission, remote: boolean): Promise<void> {
    await this.#config.load();
    this.#run(cell, admission, remote && (await this.#language.missesModules(cell.code)));
  }

  /** Runs a cell; `installs` if it imports modules that are not installed yet. */
  #run(cell: CheckedCell, admission: Admission, installs = false): void {
    const text = parseMagics(cell.code);
    this.#magic = typesMode(text) ?? this.#magic;
    const settings = this.#settings();
    for (const fault of settings.faults) this.#tellOnce(cell.id, fault);
    const late = installs || text.magics.some(({ name }) => CHANGES_PACKAGES.has(name));
    const silent = cell.silent || settings.mode === 'off' || text.code.trim() === '';
    if (settings.mode === 'strict' && !silent && !late) {
      this.#beginChecks();
      this.#language.begin(cell.id, cell.code);
      void this.#admit(cell, admission, settings.deadline);
      return;
    }
    const start = (): void => {
      // The cell is sent to the executor before its types are checked.
      admission.execute();
      this.#language.begin(cell.id, cell.code);
      if (silent) return;
      if (late) this.#late.set(cell.id, cell);
      else this.#follow(cell, this.#turnOfCheck());
    };
    const [oldest] = this.#beside;
    if (oldest === undefined || silent || this.#beside.size < MAX_BESIDE) return start();
    this.#beginChecks();
    void this.#startAfter(oldest, admission, settings.deadline, start);
  }

  /** Resolves once all diagnostics of the cells so far have been shown. */
  async settled(): Promise<void> {
    if (this.#beside.size > 0) this.#language.warmUp();
    this.#beginChecks();
    await Promise.all(this.#beside);
  }

  /** Resolves when the check of a cell that starts now may begin: at the next pause, when a short cell has ended. */
  #turnOfCheck(): Promise<void> {
    this.#pause ??= setTimeout(() => this.#beginChecks(), PAUSE_MS).unref();
    this.#pause.refresh();
    return new Promise(resolve => this.#beginning.push(resolve));
  }

  #beginChecks(): void {
    for (const begin of this.#beginning.splice(0)) begin();
  }

  #follow(cell: ReportedCell, turn?: Promise<void>): void {
    const check = this.#checkBeside(cell, turn).finally(() => this.#beside.delete(check));
    this.#beside.add(check);
  }

  /** Called with the outcome of every cell that `run` started. */
  ended(id: string, outcome: Outcome): void {
    // A syntax error and a missing remote module were already reported; the compiler would report them again.
    const malformed =
      outcome.status === 'error' &&
      (outcome.ename === 'SyntaxError' || outcome.ename === 'ImportError') &&
      outcome.assigned === undefined;
    if (malformed) this.#pending.delete(id);
    this.#pause?.refresh();
    const late = this.#late.get(id);
    this.#late.delete(id);
    if (late !== undefined && !malformed) this.#follow(late);
    this.#language.end(id, outcome);
  }

  /** Refuses the cells that wait for a check. */
  interrupt(): void {
    const evalue = 'The cell was interrupted before it ran';
    for (const stop of [...this.#waiting]) {
      stop({ status: 'error', ename: 'Interrupted', evalue, traceback: [`Interrupted: ${evalue}`] });
    }
  }

  /** Forgets all cells: the executor has ended, and its names with it. */
  reset(): void {
    for (const stop of [...this.#waiting]) stop();
    this.#late.clear();
    this.#language.reset();
  }

  /** Starts a cell once an earlier check has ended, at the latest after the deadline. */
  async #startAfter(
    check: Promise<void>,
    admission: Admission,
    deadline: number,
    start: () => void
  ): Promise<void> {
    const decide = this.#undecided(admission);
    const timer = setTimeout(() => decide(start), deadline);
    await check;
    clearTimeout(timer);
    decide(start);
  }

  async #admit(cell: ReportedCell, admission: Admission, deadline: number): Promise<void> {
    const { execute, refuse } = admission;
    const decide = this.#undecided(admission);
    const timer = setTimeout(() => {
      decide(() => {
        const time = `${deadline / 1000} s`;
        this.#host.tell(cell.id, `The types were not checked within ${time}: the cell runs unchecked.`);
        execute();
      });
    }, deadline);
    this.#pending.add(cell.id);
    try {
      const diagnostics = await this.#language.check(cell.id);
      const decided = decide(() => {
        if (diagnostics.some(({ severity }) => severity === 'error')) {
          this.#pending.delete(cell.id);
          return refuse(refusalOf(cell, diagnostics));
        }
        this.#show(cell, diagnostics);
        execute();
      });
      // The cell already runs; its diagnostics are still shown.
      if (!decided) this.#show(cell, diagnostics);
    } catch (error) {
      this.#tellOnce(cell.id, `The types cannot be checked: ${(error as Error).message}`);
      decide(execute);
    }
    clearTimeout(timer);
  }

  /** Returns a function that decides about a waiting cell: once, unless an interrupt or a reset already has. */
  #undecided({ refuse }: Admission): (act: () => void) => boolean {
    const decide = (act: () => void): boolean => {
      const waits = this.#waiting.delete(stop);
      if (waits) act();
      return waits;
    };
    const stop = (refusal?: Refusal): void => void decide(() => refusal && refuse(refusal));
    this.#waiting.add(stop);
    return decide;
  }

  async #checkBeside(cell: ReportedCell, turn?: Promise<void>): Promise<void> {
    this.#pending.add(cell.id);
    try {
      this.#show(cell, await this.#language.check(cell.id, true, turn));
    } catch (error) {
      this.#tellOnce(cell.id, `The types cannot be checked: ${(error as Error).message}`);
    }
  }

  #show(cell: ReportedCell, diagnostics: readonly CellDiagnostic[]): void {
    if (!this.#pending.delete(cell.id) || diagnostics.length === 0) return;
    this.#host.publish(cell.id, 'display_data', {
      data: reportBundle(cell, diagnostics),
      metadata: {},
      transient: {}
    });
  }

  #settings(): TypeSettings {
    return typeSettings(this.#magic, process.env, this.#config.read() ?? { stridelab: {} });
  }

  #tellOnce(cell: string, line: string): void {
    if (this.#faults.has(line)) return;
    this.#faults.add(line);
    this.#host.tell(cell, line);
  }
}

function refusalOf(cell: ReportedCell, diagnostics: readonly CellDiagnostic[]): Refusal {
  const evalue = `${countedErrors(diagnostics)}; the cell did not run`;
  return {
    status: 'error',
    ename: 'TypeScriptError',
    evalue,
    traceback: [...reportLines(cell, diagnostics), `TypeScriptError: ${evalue}`],
    metadata: { [DIAGNOSTICS_TYPE]: reportData(cell, diagnostics) }
  };
}
