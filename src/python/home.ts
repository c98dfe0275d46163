/** Where an interpreter runs, which one is chosen, and that it is started once. */

import { examinePython, pythonCandidates, type PythonInstallation, type PythonRefusal } from './discover.ts';
import { PythonUnavailableError } from './errors.ts';
import { InProcessHost } from './in-process-host.ts';
import { Interpreter } from './interpreter.ts';

export interface PythonOptions {
  /** Path of an interpreter; its virtual environment is honoured. Otherwise STRIDELAB_PYTHON, VIRTUAL_ENV, CONDA_PREFIX, then PATH. */
  readonly python?: string | undefined;
}

export interface PythonStatus {
  readonly state: 'not-started' | 'running';
  /** Null before it starts. */
  readonly installation: PythonInstallation | null;
}

function isUsable(found: PythonInstallation | PythonRefusal): found is PythonInstallation {
  return found.obstacle === null;
}

/** The first candidate that can run here. @throws PythonUnavailableError saying what was wrong with each */
function choose({ python: named }: PythonOptions): PythonInstallation {
  const candidates = named === undefined ? pythonCandidates() : [named];
  const refusals: string[] = [];
  for (const candidate of candidates) {
    const found = examinePython(candidate);
    if (isUsable(found)) return found;
    refusals.push(found.obstacle ?? candidate);
  }
  const message =
    candidates.length === 0
      ? 'no Python was found: install one, or name its interpreter in STRIDELAB_PYTHON'
      : 'no Python that can run inside this process was found';
  throw new PythonUnavailableError(message, refusals);
}

export class PythonHome {
  #interpreter: Interpreter | undefined;

  /** @throws PythonUnavailableError */
  running(): Interpreter {
    return (this.#interpreter ??= new Interpreter(choose({}), new InProcessHost()));
  }

  /** @throws PythonUnavailableError */
  start(options: PythonOptions): PythonInstallation {
    const wanted = options.python;
    if (this.#interpreter !== undefined && wanted !== undefined) {
      const { executable } = this.#interpreter.installation;
      if (executable !== wanted)
        throw new PythonUnavailableError(
          `${wanted} cannot start: this process runs ${executable} already, and one process holds one Python`
        );
    }
    this.#interpreter ??= new Interpreter(choose(options), new InProcessHost());
    return this.#interpreter.installation;
  }

  status(): PythonStatus {
    const interpreter = this.#interpreter;
    return interpreter === undefined
      ? { state: 'not-started', installation: null }
      : { state: 'running', installation: interpreter.installation };
  }
}
