/** Starts and ends the Python process. */

import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';

import { native } from '../../native/load.ts';
import { PythonUnavailableError, type ProcessEnd } from '../interpreter/errors.ts';
import { companionFolder } from '../interpreter/helpers.ts';
import type { PythonPeer } from './peer.ts';

/** Runs the worker by its path, under a name that no installed package has. */
const START = `
import importlib.util, sys
folder = sys.argv[-1]
spec = importlib.util.spec_from_file_location("stridelab_worker", folder + "/__init__.py", submodule_search_locations=[folder])
sys.modules[spec.name] = worker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(worker)
worker.main()
`;

/** The time limit for its exit code after the connection ends, in ms. */
const EXIT_WITHIN = 2_000;
/** The length of the tail of its standard error, in characters, kept for the error that reports its exit. */
const TAIL = 4_000;

export class PythonChild implements PythonPeer {
  readonly link: number;
  readonly process: number;
  readonly patience = 10_000;
  readonly #child: ChildProcess;
  #tail = '';

  /** Starts the process. @throws PythonUnavailableError */
  constructor(executable: string) {
    const { links, channels } = native();
    const { link, socket, errors } = links.open();
    const folder = join(companionFolder(), 'worker');
    const child = spawn(executable, ['-X', 'utf8', '-c', START, folder], {
      stdio: ['inherit', 'inherit', errors, socket]
    });
    // The failure is reported below, and by the end of the connection.
    child.on('error', () => undefined);
    child.unref();
    for (const descriptor of [socket, errors]) channels.closeDescriptor(descriptor);
    if (child.pid === undefined) {
      links.close(link);
      throw new PythonUnavailableError(`${executable} cannot be started as a process`);
    }
    this.link = link;
    this.process = child.pid;
    this.#child = child;
  }

  passErrorsOn(): void {
    const text = native().links.takeErrors(this.link);
    if (text === '') return;
    this.note(text);
    process.stderr.write(text);
  }

  note(text: string): void {
    this.#tail = (this.#tail + text).slice(-TAIL);
  }

  kill(signal: 'SIGINT' | 'SIGKILL'): void {
    // Not by its number, which another process may have once this one has exited.
    this.#child.kill(signal);
  }

  ended(within = EXIT_WITHIN): ProcessEnd | undefined {
    const exit = native().links.exitOf(this.process, within);
    if (exit === undefined) return undefined;
    const signal =
      Object.entries(constants.signals).find(([, number]) => number === exit.signal)?.[0] ?? null;
    return { exitCode: exit.signal === 0 ? exit.code : null, signal, stderr: this.#tail.trimEnd() };
  }

  close(): void {
    this.passErrorsOn();
    native().links.close(this.link);
  }
}
