/** Runs child processes for a cell: `!command`, `%%bash`, and npm. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { MagicError, type MagicCall, type MagicTable } from './magic.ts';

/** Delay between SIGINT and SIGKILL, if a process outlives its interrupted cell. */
const KILL_AFTER_MS = 1_000;

export type TextSink = (text: string) => void;

/** Returns to the start of the line and erases it, so that other text replaces progress. */
export const CLEAR_LINE = '\r\x1b[K';

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export const commandMagics: MagicTable<'!' | '%%bash' | '%%sh'> = {
  '!': {
    usage: '!COMMAND',
    summary: 'Runs a shell command; its output appears as it arrives',
    run: call => shell(call, '/bin/sh', ['-c', call.argument], call.argument)
  },
  '%%bash': {
    usage: '%%bash [ARGUMENT …]',
    summary: 'Runs the rest of the cell as a bash script',
    run: call => script(call, 'bash')
  },
  '%%sh': {
    usage: '%%sh [ARGUMENT …]',
    summary: 'Runs the rest of the cell as a shell script',
    run: call => script(call, '/bin/sh')
  }
};

/** Runs a program to its end; returns its exit code or signal. Throws `MagicError` if it cannot be started. */
export async function runProgram(
  program: Program,
  signal: AbortSignal,
  stdout: TextSink,
  stderr: TextSink
): Promise<number | NodeJS.Signals> {
  const child = spawn(program.file, program.args, {
    stdio: [program.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    cwd: program.cwd,
    env: program.env
  });
  const stop = (): void => void end(child);
  signal.addEventListener('abort', stop);
  child.stdout!.setEncoding('utf8').on('data', stdout);
  child.stderr!.setEncoding('utf8').on('data', stderr);
  // A script that ends before it has read all of its input is not an error.
  child.stdin?.on('error', () => undefined).end(program.input);
  try {
    const [code, killedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return code ?? killedBy!;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const missing = code === 'ENOENT' ? `"${program.file}" was not found on the PATH` : message;
    throw new MagicError(missing, 'CommandError');
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function script(call: MagicCall, interpreter: string): Promise<void> {
  const args = call.argument === '' ? [] : call.argument.split(/\s+/);
  return shell(call, interpreter, ['-s', '--', ...args], 'The script', call.body);
}

async function shell(
  { signal }: MagicCall,
  file: string,
  args: readonly string[],
  what: string,
  input?: string
): Promise<void> {
  const program: Program = { file, args, ...(input !== undefined && { input }) };
  const status = await runProgram(program, signal, toStdout, toStderr);
  if (status === 0) return;
  const how = typeof status === 'number' ? `exit status ${status}` : `signal ${status}`;
  throw new MagicError(`${what} ended with ${how}`, 'CommandError');
}

export const toStdout: TextSink = text => void process.stdout.write(text);
export const toStderr: TextSink = text => void process.stderr.write(text);

/** Kills a child process that ignores SIGINT, which the interrupt has already sent. */
async function end(child: ChildProcess): Promise<void> {
  const force = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
  await once(child, 'exit');
  clearTimeout(force);
}
