/** Answers requests about code. The TypeScript server starts soon after the first cell, since its first answer is slow. */

import type { Outcome } from '../../protocol/executor-messages.ts';
import { parseMagics } from '../../protocol/magics.ts';
import type { LiveMembers } from '../executor/live-members.ts';
import { completeMagic } from './magic-completion.ts';
import { completePython, inspectPython, pythonCompleteness } from './python-support.ts';
import type { CellDiagnostic } from '../typescript/diagnostics.ts';
import type { CellModule } from '../typescript/composer.ts';
import type { LanguageService } from '../typescript/language-service.ts';
import type { UserConfig } from '../typescript/user-config.ts';

/** Delay after the first cell, so that running all cells of a notebook is not slowed at its start. */
const WARM_UP_AFTER_MS = 300;
/** A question that makes the server load the whole program. */
const WARM_UP_QUESTION = 'globalThis.';

export class LanguageSupport {
  readonly #config: UserConfig;
  readonly #live: LiveMembers;
  #loading: Promise<LanguageService> | undefined;
  #service: LanguageService | undefined;
  /** Actions to run, in order, once the service is loaded. */
  #waiting: ((service: LanguageService) => void)[] = [];
  /** Cells that are running or being checked. */
  readonly #modules = new Map<string, CellModule>();
  #warmUp: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(config: UserConfig, live: LiveMembers) {
    this.#config = config;
    this.#live = live;
  }

  async isComplete(code: string): Promise<object> {
    const ofPython = await pythonCompleteness(code, this.#live);
    if (ofPython !== undefined) return ofPython;
    const { completeness } = await import('../typescript/completeness.ts');
    return completeness(parseMagics(code).code);
  }

  async complete(code: string, cursor: number): Promise<object> {
    const magic = completeMagic(code, cursor);
    if (magic !== undefined) return magic;
    const ofPython = await completePython(code, cursor, this.#live);
    if (ofPython !== undefined) return ofPython;
    const service = await this.#load();
    return service.complete(service.codeOf(code), cursor);
  }

  /** Returns the content of an `inspect_reply`. `detail` is the protocol's level, 0 or 1. */
  async inspect(code: string, cursor: number, detail: number): Promise<object> {
    const ofPython = await inspectPython(code, cursor, detail, this.#live);
    if (ofPython !== undefined) return ofPython;
    const service = await this.#load();
    return service.inspect(service.codeOf(code), cursor, detail);
  }

  /** Called when a cell starts, before `check` and `end` with its id. */
  begin(id: string, source: string): void {
    this.#do(service => {
      if (resetsNames(source)) service.reset();
      this.#modules.set(id, service.begin(service.codeOf(source)));
    });
    // The first question that needs the server reports a failed start.
    this.#warmUp ??= setTimeout(() => this.warmUp(), WARM_UP_AFTER_MS).unref();
  }

  /** Returns whether a cell imports remote modules that are not installed yet. */
  async missesModules(code: string): Promise<boolean> {
    return (await this.#load()).missesModules(code);
  }

  /**
   * Returns the diagnostics of a cell that has started; starts the server if needed. `isRunning`: whether the cell runs meanwhile. The
   * server is asked after `turn`.
   */
  check(id: string, isRunning = false, turn?: Promise<void>): Promise<readonly CellDiagnostic[]> {
    return new Promise((resolve, reject) => {
      this.#do(service => {
        const module = this.#modules.get(id);
        if (module === undefined) resolve([]);
        else
          service.check(module, isRunning, turn).then(resolve, error => {
            // The server ended with the kernel, which needs no report.
            if (!this.#stopped) reject(error as Error);
          });
      });
    });
  }

  /** Called when the cell has ended: the names that it assigned become known to later questions. */
  end(id: string, outcome: Outcome): void {
    this.#do(service => {
      const module = this.#modules.get(id);
      this.#modules.delete(id);
      if (module === undefined) return;
      if (outcome.status === 'ok') service.commit(module);
      else if (outcome.assigned !== undefined) service.commit(module, new Set(outcome.assigned));
      else service.drop(module);
    });
  }

  /** Starts the server, so that its first answer is as fast as later ones. */
  warmUp(): void {
    this.complete(WARM_UP_QUESTION, WARM_UP_QUESTION.length).catch(() => undefined);
  }

  /** Forgets all cells: the process has ended, and its variables with it. */
  reset(): void {
    this.#do(service => {
      this.#modules.clear();
      service.reset();
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#warmUp);
    (await this.#loading)?.stop();
  }

  #do(act: (service: LanguageService) => void): void {
    if (this.#service === undefined) this.#waiting.push(act);
    else act(this.#service);
  }

  #load(): Promise<LanguageService> {
    return (this.#loading ??= this.#start());
  }

  async #start(): Promise<LanguageService> {
    const { SupervisedServer } = await import('../typescript/supervised-server.ts');
    const folder = process.cwd();
    const server = new SupervisedServer(folder);
    // Its process starts on another core while this one loads the rest.
    server.start();
    const [{ LanguageService }] = await Promise.all([
      import('../typescript/language-service.ts'),
      this.#config.load()
    ]);
    const service = new LanguageService(folder, server, () => this.#config.read()!, this.#live);
    this.#service = service;
    for (const act of this.#waiting.splice(0)) act(service);
    return service;
  }
}

/** Returns whether the cell has the magic `%reset`, which runs before the cell's own code. */
function resetsNames(source: string): boolean {
  return parseMagics(source).magics.some(
    ({ name, argument }) => name === 'reset' && /^(-f)?$/.test(argument)
  );
}
