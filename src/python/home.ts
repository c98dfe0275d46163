/** Chooses an interpreter and where it runs, and starts it once. */

import { ArgumentError } from '../base/errors.ts';
import { textOf } from '../base/value-text.ts';
import { pythonCandidates } from './interpreter/candidates.ts';
import {
  examinePython,
  isNameOf,
  tooOld,
  type PythonInstallation,
  type PythonRefusal
} from './interpreter/discover.ts';
import { PythonUnavailableError } from './interpreter/errors.ts';
import { InProcessHost } from './interpreter/in-process-host.ts';
import { Interpreter } from './interpreter/interpreter.ts';
import { exportArray } from './arrays/arrays-to-python.ts';
import { importArray } from './arrays/import-array.ts';
import { offerMemory } from './memory/share.ts';
import { processHost } from './process/process-host.ts';

const MODES = ['in-process', 'process', 'auto'] as const;
/** Where Python runs: in this process, in a child process, or whichever is possible. */
export type PythonMode = (typeof MODES)[number];

/** Options of `python.start`. */
export interface PythonOptions {
  /** The path of an interpreter; its virtual environment is used. Default: the first suitable one of `python.discover()`. */
  readonly python?: string | undefined;
  /**
   * `in-process` shares memory and is fast. `process` runs Python in a child process, so that a crash loses only Python. `auto` uses
   * `in-process` where possible, otherwise `process`. Default: STRIDELAB_PYTHON_MODE, otherwise `in-process`.
   */
  readonly mode?: PythonMode | undefined;
}

/** The state of the Python interpreter. */
export interface PythonStatus {
  /** Whether Python runs; `ended` is a child process that was closed or exited. */
  readonly state: 'not-started' | 'running' | 'ended';
  /** The interpreter in use; null before it starts. */
  readonly installation: PythonInstallation | null;
  /** The process id of Python; null if it runs in this process. */
  readonly process: number | null;
  /** Why `auto` chose a child process, or how the process ended; null if there is nothing to report. */
  readonly note: string | null;
}

type Place = 'in-process' | 'process';

interface Choice {
  readonly installation: PythonInstallation;
  readonly place: Place;
  readonly note: string | null;
}

/** Returns why an interpreter cannot run in this place, or null. A separate process only needs a recent version. */
function obstacleIn(place: Place, found: PythonInstallation | PythonRefusal): string | null {
  return place === 'process' && 'version' in found ? tooOld(found) : found.obstacle;
}

function modeOf({ mode }: PythonOptions): PythonMode {
  const wanted = mode ?? (process.env['STRIDELAB_PYTHON_MODE'] || 'in-process');
  if ((MODES as readonly string[]).includes(wanted)) return wanted as PythonMode;
  throw new ArgumentError(
    `unknown mode ${textOf(wanted)}: expected one of ${MODES.map(each => `'${each}'`).join(', ')}`
  );
}

/** Returns the first candidate that can run in the mode. @throws PythonUnavailableError with the obstacle of each */
function choose(options: PythonOptions): Choice {
  const mode = modeOf(options);
  const candidates = options.python === undefined ? pythonCandidates() : [options.python];
  const found: (PythonInstallation | PythonRefusal)[] = [];
  const places: readonly Place[] = mode === 'auto' ? ['in-process', 'process'] : [mode];
  for (const place of places) {
    for (const [index, candidate] of candidates.entries()) {
      // Examining an interpreter is slow, so each is examined once, and none after a suitable one.
      const each = (found[index] ??= examinePython(candidate));
      if ('version' in each && obstacleIn(place, each) === null)
        return { installation: each, place, note: mode === 'auto' ? each.obstacle : null };
    }
  }
  const refusals = found.map(each => obstacleIn(places[0] as Place, each) ?? each.executable);
  const inside =
    mode === 'in-process'
      ? 'inside this process was found; `mode: "process"` has fewer requirements'
      : 'was found';
  const message =
    candidates.length === 0
      ? 'no Python was found: install one, or name its interpreter in STRIDELAB_PYTHON'
      : `no Python that can run ${inside}`;
  throw new PythonUnavailableError(message, refusals);
}

function started({ installation, place }: Choice): Interpreter {
  if (place === 'process') return new Interpreter(installation, processHost(installation));
  const host = new InProcessHost({ toPython: exportArray, fromPython: importArray });
  const interpreter = new Interpreter(installation, host);
  offerMemory(interpreter);
  return interpreter;
}

export class PythonHome {
  readonly #options: PythonOptions;
  #interpreter: Interpreter | undefined;
  #note: string | null = null;

  /** `options` apply if first use starts Python. */
  constructor(options: PythonOptions = {}) {
    this.#options = options;
  }

  /** Returns the interpreter, also after it ended, when its calls throw PythonLostError. @throws PythonUnavailableError */
  running(): Interpreter {
    return this.#interpreter ?? this.#start(this.#options);
  }

  /** Uses an interpreter that is running already. */
  adopt(interpreter: Interpreter): void {
    this.#interpreter = interpreter;
  }

  /** Starts Python. @throws PythonUnavailableError */
  start(options: PythonOptions): PythonInstallation {
    const running = this.#interpreter;
    if (running === undefined || running.host.end !== undefined)
      return this.#start({ ...this.#options, ...options }).installation;
    this.#refuseAnother(running, options);
    return running.installation;
  }

  status(): PythonStatus {
    const interpreter = this.#interpreter;
    if (interpreter === undefined)
      return { state: 'not-started', installation: null, process: null, note: null };
    const { installation, host } = interpreter;
    const { end, process } = host;
    return {
      state: end === undefined ? 'running' : 'ended',
      installation,
      process,
      note: end?.message ?? this.#note
    };
  }

  /** Closes the interpreter. @throws ArgumentError for one in this process */
  close(): void {
    this.#interpreter?.host.close();
  }

  #start(options: PythonOptions): Interpreter {
    const choice = choose(options);
    this.#interpreter = started(choice);
    this.#note = choice.note;
    return this.#interpreter;
  }

  #refuseAnother({ installation, host }: Interpreter, { python, mode }: PythonOptions): void {
    const { executable } = installation;
    const where = host.process === null ? 'this process' : `process ${host.process}`;
    if (python !== undefined && !isNameOf(python, installation)) {
      const advice =
        host.process === null
          ? 'a process can run only one Python'
          : 'it must be closed first with `close()`; `open()` starts another one';
      throw new PythonUnavailableError(
        `${python} cannot start: ${where} runs ${executable} already, and ${advice}`
      );
    }
    const other = mode === undefined || mode === 'auto' ? undefined : mode === 'process';
    if (other !== undefined && other !== (host.process !== null))
      throw new PythonUnavailableError(
        `${executable} runs in ${where} already: \`python.open()\` starts one in another process`
      );
  }
}
