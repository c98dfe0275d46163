/** What notebooks ask of an interpreter: cells of Python, what values show, completion, questions to the user. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import type { FromPython, NativePythonHandle } from '../native/python-binding.ts';
import type { Interpreter } from './interpreter.ts';

/** A cell of Python, or the part of a cell that is. */
export interface PythonCell {
  readonly source: string;
  /** As tracebacks name it. */
  readonly label: string;
  /** Lines of the whole cell before `source`. */
  readonly linesBefore: number;
  /** The whole cell. */
  readonly text: string;
}

/** What shows a value; `problems` is what its methods failed with. */
export interface PythonBundle {
  readonly bundle: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

export interface PythonMember {
  readonly name: string;
  /** `function`, `method`, `class`, `module`, `property`, `variable`, `keyword`. */
  readonly type: string;
}

export interface PythonMatches {
  /** Where what they replace begins, in code points as the cursor. */
  readonly start: number;
  readonly matches: readonly PythonMember[];
}

export interface PythonDescription {
  readonly heading: readonly string[];
  readonly documentation: string | null;
  readonly source: string | null;
}

export type PythonCompleteness = readonly ['complete' | 'incomplete' | 'invalid', indent: string];

const MODULES = { notebook: '#python-notebook', language: '#python-language' } as const;

export class PythonNotebook {
  readonly #python: Interpreter;
  readonly #modules = new Map<string, NativePythonHandle>();

  constructor(python: Interpreter) {
    this.#python = python;
  }

  /** Runs a cell in `__main__`; undefined where it has nothing to show. @throws PythonError */
  run({ source, label, linesBefore, text }: PythonCell): PythonBundle | undefined {
    return this.#shown(this.#call('notebook', 'run_cell', source, label, linesBefore, text));
  }

  bundle(value: NativePythonHandle): PythonBundle {
    return this.#shown(this.#call('notebook', 'bundle', value))!;
  }

  /** Gives `__main__` a variable. @throws ArgumentError for a value without counterpart */
  assign(name: string, value: unknown): void {
    this.#call('notebook', 'assign', name, this.#python.toPython(value));
  }

  /** Values of variables of `__main__`. @throws PythonError (NameError) */
  values(names: readonly string[]): unknown[] {
    const values = this.#call('notebook', 'values_of', this.#python.list(names)) as NativePythonHandle;
    return [...this.#python.iterate(values)];
  }

  /** Has `input()` and `getpass()` ask by this function: undefined after an interrupt, false where nobody answers. */
  answerBy(ask: (prompt: string, hidden: boolean) => string | undefined | false): void {
    const callable = this.#python.toPython((prompt: unknown, hidden: unknown) =>
      ask(String(prompt), hidden === true)
    );
    this.#call('notebook', 'install', callable);
  }

  /** Attributes, without running properties; null where the path leads over one or to nothing. */
  members(value: NativePythonHandle, path: readonly string[]): readonly PythonMember[] | null {
    const found = this.#copied('members_at', value, this.#python.list(path));
    return Array.isArray(found) ? members(found) : null;
  }

  /** What an attribute is, at detail 1 with its source. */
  describe(value: NativePythonHandle, path: readonly string[], detail: number): PythonDescription | null {
    return description(this.#copied('describe_at', value, this.#python.list(path), detail));
  }

  complete(source: string, cursor: number): PythonMatches {
    const [start, found] = this.#copied('complete', source, cursor) as [number, unknown];
    return { start, matches: members(found) };
  }

  inspect(source: string, cursor: number, detail: number): PythonDescription | null {
    return description(this.#copied('look_up', source, cursor, detail));
  }

  completeness(source: string): PythonCompleteness {
    return this.#copied('completeness', source) as PythonCompleteness;
  }

  #copied(name: string, ...values: (NativePythonHandle | string | number)[]): unknown {
    return this.#python.toJS(this.#python.fromPython(this.#call('language', name, ...values)));
  }

  #shown(answer: FromPython): PythonBundle | undefined {
    if (answer === undefined) return undefined;
    const [bundle, problems] = this.#python.toJS(this.#python.fromPython(answer)) as [
      PythonBundle['bundle'],
      string[]
    ];
    return { bundle, problems };
  }

  #call(
    module: keyof typeof MODULES,
    name: string,
    ...values: Parameters<Interpreter['native']['call']>[1][]
  ): FromPython {
    const { native } = this.#python;
    const function_ = native.getItem(this.#module(module), name) as NativePythonHandle;
    return native.call(function_, ...values);
  }

  #module(name: keyof typeof MODULES): NativePythonHandle {
    let module = this.#modules.get(name);
    if (module === undefined) {
      const { native } = this.#python;
      const file = createRequire(import.meta.url).resolve(MODULES[name]);
      module = native.module(`stridelab_${name}`);
      native.setItem(module, '__builtins__', native.import('builtins'));
      native.execute(readFileSync(file, 'utf8'), file, module);
      this.#modules.set(name, module);
    }
    return module;
  }
}

const notebooks = new WeakMap<Interpreter, PythonNotebook>();

/** One for each interpreter. */
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
