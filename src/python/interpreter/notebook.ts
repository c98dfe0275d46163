/** Services of an interpreter for notebooks: cells of Python, displays of values, completion, questions to the user. */

import type { FromPython, NativePythonHandle, ToPython } from '../../native/python-binding.ts';
import { PythonModule } from './helpers.ts';
import type { Interpreter } from './interpreter.ts';

/** A Python cell, or the Python part of a cell. */
export interface PythonCell {
  readonly source: string;
  /** The name in tracebacks. */
  readonly label: string;
  /** Lines of the cell before `source`. */
  readonly linesBefore: number;
  /** The text of the entire cell. */
  readonly text: string;
}

/** The display of a value; `problems` lists the errors of its methods. */
export interface PythonBundle {
  readonly bundle: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

export interface PythonMember {
  readonly name: string;
  /** One of `function`, `method`, `class`, `module`, `property`, `variable`, `keyword`. */
  readonly type: string;
}

export interface PythonMatches {
  /** The start of the replaced text, in code points like the cursor. */
  readonly start: number;
  readonly matches: readonly PythonMember[];
}

export interface PythonDescription {
  readonly heading: readonly string[];
  readonly documentation: string | null;
  readonly source: string | null;
}

export type PythonCompleteness = readonly ['complete' | 'incomplete' | 'invalid', indent: string];

type LanguageService = 'members_at' | 'describe_at' | 'complete' | 'look_up' | 'completeness';

export class PythonNotebook {
  readonly #python: Interpreter;
  readonly #cells: PythonModule<'run_cell' | 'bundle' | 'assign' | 'values_of' | 'install'>;
  readonly #language: PythonModule<LanguageService>;
  readonly #figures: PythonModule<'prepare' | 'take_open'>;

  constructor(python: Interpreter) {
    this.#python = python;
    this.#cells = PythonModule.companion(python.native, 'notebook');
    this.#language = PythonModule.companion(python.native, 'language');
    this.#figures = PythonModule.companion(python.native, 'figures');
  }

  /**
   * Runs a cell in `__main__`; undefined if it has nothing to show. A cell with `await` runs in Python's
   * event loop, and `signal` cancels it. @throws PythonError
   */
  async run(
    { source, label, linesBefore, text }: PythonCell,
    signal?: AbortSignal
  ): Promise<PythonBundle | undefined> {
    const answer = this.#cells.call('run_cell', source, label, linesBefore, text) as NativePythonHandle;
    const { native, asynchronous } = this.#python;
    const [awaits, outcome] = [native.getItem(answer, 0), native.getItem(answer, 1)];
    if (awaits !== true) return this.#shown(this.#python.fromPython(outcome));
    return this.#shown(await asynchronous.promise(outcome as NativePythonHandle, { signal }));
  }

  bundle(value: NativePythonHandle): PythonBundle {
    return this.#shown(this.#python.fromPython(this.#cells.call('bundle', value)))!;
  }

  /** Assigns a variable in `__main__`. @throws ArgumentError for a value without a Python counterpart */
  assign(name: string, value: unknown): void {
    this.#cells.call('assign', name, this.#python.toPython(value));
  }

  /** Returns the values of variables of `__main__`. @throws PythonError (NameError) */
  values(names: readonly string[]): unknown[] {
    const values = this.#cells.call('values_of', this.#python.list(names)) as NativePythonHandle;
    return [...this.#python.iterate(values)];
  }

  /**
   * Makes `input()` and `getpass()` call `ask` (undefined after an interrupt, false if no one answers), and `display()` another function.
   */
  attach(
    ask: (prompt: string, hidden: boolean) => string | undefined | false,
    show: (bundle: PythonBundle) => void
  ): void {
    const asking = (prompt: unknown, hidden: unknown) => ask(String(prompt), hidden === true);
    const showing = (shown: unknown): void => show(this.#shown(shown)!);
    this.#cells.call('install', this.#python.toPython(asking), this.#python.toPython(showing));
  }

  /** Stops matplotlib from opening windows; `openFigures` then returns what it drew. */
  keepFigures(): void {
    this.#figures.call('prepare');
  }

  /** Returns the open figures and closes them. @throws PythonError for one that cannot be drawn */
  openFigures(): readonly Readonly<Record<string, unknown>>[] {
    if (!this.#figures.loaded) return [];
    return this.#copied(this.#figures.call('take_open')) as Record<string, unknown>[];
  }

  /** Lists attributes without running properties; null if the path includes a property or does not exist. */
  members(value: NativePythonHandle, path: readonly string[]): readonly PythonMember[] | null {
    const found = this.#ask('members_at', value, this.#python.list(path));
    return Array.isArray(found) ? members(found) : null;
  }

  /** Describes an attribute; detail 1 adds its source. */
  describe(value: NativePythonHandle, path: readonly string[], detail: number): PythonDescription | null {
    return description(this.#ask('describe_at', value, this.#python.list(path), detail));
  }

  complete(source: string, cursor: number): PythonMatches {
    const [start, found] = this.#ask('complete', source, cursor) as [number, unknown];
    return { start, matches: members(found) };
  }

  inspect(source: string, cursor: number, detail: number): PythonDescription | null {
    return description(this.#ask('look_up', source, cursor, detail));
  }

  completeness(source: string): PythonCompleteness {
    return this.#ask('completeness', source) as PythonCompleteness;
  }

  #ask(name: LanguageService, ...values: ToPython[]): unknown {
    return this.#copied(this.#language.call(name, ...values));
  }

  #shown(answer: unknown): PythonBundle | undefined {
    const copy = this.#python.toJS(answer);
    if (!Array.isArray(copy)) return undefined;
    const [bundle, problems] = copy as [PythonBundle['bundle'], string[]];
    return { bundle, problems };
  }

  #copied(answer: FromPython): unknown {
    return this.#python.toJS(this.#python.fromPython(answer));
  }
}

const notebooks = new WeakMap<Interpreter, PythonNotebook>();

export function notebookOf(python: Interpreter): PythonNotebook {
  let notebook = notebooks.get(python);
  if (notebook === undefined) notebooks.set(python, (notebook = new PythonNotebook(python)));
  return notebook;
}

function members(pairs: unknown): PythonMember[] {
  return (pairs as [string, string][]).map(([name, type]) => ({ name, type }));
}

function description(answer: unknown): PythonDescription | null {
  if (!Array.isArray(answer)) return null;
  const [heading, documentation, source] = answer as [string[], string | null, string | null];
  return { heading, documentation, source };
}
