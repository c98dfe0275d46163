/** Programs that contain Python, each in a separate Node process, which is killed if it hangs. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { pythonOfTests } from './environment.ts';

const library = pathToFileURL(join(import.meta.dirname, '../../../dist/src/index.js')).href;
const DEADLINE_MS = 60_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It was killed because it did not exit by itself. */
  readonly hung: boolean;
}

export interface ProgramOptions {
  /** The interpreter; `null` starts none. */
  readonly python?: string | null;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Called with all output so far. */
  readonly onOutput?: (stdout: string, child: { kill(signal: NodeJS.Signals): boolean }) => void;
  readonly deadlineMs?: number;
}

/** Runs the source of a module after importing `python`, and starting it with `pythonPath`. */
export async function runProgram(source: string, options: ProgramOptions = {}): Promise<Ended> {
  const { python = pythonOfTests, environment = {}, onOutput, deadlineMs = DEADLINE_MS } = options;
  const start = python === null ? '' : `python.start({ python: ${JSON.stringify(python)} });`;
  const text = `import { python, PythonError, PythonUnavailableError } from ${JSON.stringify(library)};
    const pythonPath = ${JSON.stringify(python)}; const library = ${JSON.stringify(library)};
    ${start}\n${source}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment }
  });
  let [stdout, stderr, hung] = ['', '', false];
  child.stdout.on('data', (data: Buffer) => {
    stdout += data.toString();
    onOutput?.(stdout, child);
  });
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  const watchdog = setTimeout(() => {
    hung = true;
    child.kill('SIGKILL');
  }, deadlineMs);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(watchdog);
  return { code, signal, stdout, stderr, hung };
}
