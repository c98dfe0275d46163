/** `Deno.Command`: other programs. */

import { spawn, spawnSync, type ChildProcess as NodeProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { notebookHost } from '../../../src/notebook/host.ts';
import { converted, waiting } from './system-calls.ts';

type Stdio = 'piped' | 'inherit' | 'null';

/** Options of `Deno.Command`. */
export interface CommandOptions {
  readonly args?: readonly string[];
  /** The working directory. */
  readonly cwd?: string | URL;
  /** Environment variables in addition to those of the notebook. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the program gets only the variables in `env`. Default: false. */
  readonly clearEnv?: boolean;
  /** Default: `null` for `output`, `inherit` for `spawn`. */
  readonly stdin?: Stdio;
  /** Default: `piped` for `output`, `inherit` for `spawn`. */
  readonly stdout?: Stdio;
  /** Default: `piped` for `output`, `inherit` for `spawn`. */
  readonly stderr?: Stdio;
  /** Ends the program. */
  readonly signal?: AbortSignal;
  readonly uid?: number;
  readonly gid?: number;
}

/** How a program ended. */
export interface CommandStatus {
  /** Whether the status is 0. */
  readonly success: boolean;
  /** The exit status; 128 and more after a signal. */
  readonly code: number;
  readonly signal: NodeJS.Signals | null;
}

/** How a program ended, and what it printed. */
export interface CommandOutput extends CommandStatus {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** A program with its arguments, which can be started any number of times. */
export class Command {
  readonly #program: string;
  readonly #options: CommandOptions;

  constructor(program: string | URL, options: CommandOptions = {}) {
    this.#program = typeof program === 'string' ? program : fileURLToPath(program);
    this.#options = options;
  }

  /** Runs the program to its end. @throws Deno.errors.NotFound if there is no such program */
  output(): Promise<CommandOutput> {
    const { stdin = 'null', stdout = 'piped', stderr = 'piped' } = this.#options;
    if (stdin === 'piped') throw new TypeError('Deno.Command: stdin can be piped only with spawn()');
    return waiting(async () => (await started(this.#start({ stdin, stdout, stderr }))).output());
  }

  /** Runs the program to its end, and blocks until then. @throws Deno.errors.NotFound if there is no such program */
  outputSync(): CommandOutput {
    const { args = [], stdin = 'null', stdout = 'piped', stderr = 'piped' } = this.#options;
    const options = { ...this.#spawnOptions(), stdio: [stdin, stdout, stderr].map(nodeStdio) };
    const result = spawnSync(this.#program, args, { ...options, maxBuffer: Infinity } as object);
    if (result.error !== undefined) throw converted(result.error);
    const bytes = (found: string | Buffer | null): Uint8Array => new Uint8Array(Buffer.from(found ?? ''));
    return { ...statusOf(result), stdout: bytes(result.stdout), stderr: bytes(result.stderr) };
  }

  /** Starts the program. An interrupt of the cell ends it. */
  spawn(): ChildProcess {
    const { stdin = 'inherit', stdout = 'inherit', stderr = 'inherit' } = this.#options;
    return this.#start({ stdin, stdout, stderr });
  }

  #start({ stdin, stdout, stderr }: Record<'stdin' | 'stdout' | 'stderr', Stdio>): ChildProcess {
    const stdio = [stdin, stdout, stderr].map(nodeStdio);
    const signals = [this.#options.signal, notebookHost()?.cellSignal?.()].filter(
      signal => signal !== undefined
    );
    const process_ = spawn(this.#program, this.#options.args ?? [], {
      ...this.#spawnOptions(),
      stdio,
      ...(signals.length > 0 && { signal: AbortSignal.any(signals) })
    });
    return new ChildProcess(process_);
  }

  #spawnOptions(): SpawnOptions {
    const { cwd, env = {}, clearEnv = false, uid, gid } = this.#options;
    return {
      env: clearEnv ? { ...env } : { ...process.env, ...env },
      ...(cwd !== undefined && { cwd }),
      ...(uid !== undefined && { uid }),
      ...(gid !== undefined && { gid })
    };
  }
}

/** A program that was started by `Deno.Command`. */
export class ChildProcess {
  readonly #process: NodeProcess;
  /** How the program ended; rejects if it could not be started. */
  readonly status: Promise<CommandStatus>;

  /** Use `new Deno.Command(…).spawn()`. */
  constructor(process_: NodeProcess) {
    this.#process = process_;
    this.status = waiting(async () => {
      const ended = once(process_, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
      try {
        const [status, signal] = await ended;
        return statusOf({ status, signal });
      } catch (error) {
        // Ended by its signal, which Node reports as an error.
        if ((error as Error).name !== 'AbortError') throw error;
        await once(process_, 'close');
        return statusOf({ status: process_.exitCode, signal: process_.signalCode });
      }
    });
    // A program that nobody waits for ends without a word.
    this.status.catch(() => {});
  }

  /** The process id. */
  get pid(): number {
    return this.#process.pid ?? -1;
  }

  /** What the program reads, if `stdin` is `piped`. */
  get stdin(): WritableStream<Uint8Array> {
    if (this.#process.stdin === null) throw notPiped('stdin');
    return Writable.toWeb(this.#process.stdin) as WritableStream<Uint8Array>;
  }

  /** What the program prints, if `stdout` is `piped`. */
  get stdout(): ReadableStream<Uint8Array> {
    if (this.#process.stdout === null) throw notPiped('stdout');
    return Readable.toWeb(this.#process.stdout) as ReadableStream<Uint8Array>;
  }

  /** What the program prints on standard error, if `stderr` is `piped`. */
  get stderr(): ReadableStream<Uint8Array> {
    if (this.#process.stderr === null) throw notPiped('stderr');
    return Readable.toWeb(this.#process.stderr) as ReadableStream<Uint8Array>;
  }

  /** Waits for the end and returns what the program printed. */
  async output(): Promise<CommandOutput> {
    const collected = (stream: Readable | null): Promise<Buffer> =>
      stream === null ? Promise.resolve(Buffer.of()) : buffer(stream);
    const [status, stdout, stderr] = await Promise.all([
      this.status,
      collected(this.#process.stdout),
      collected(this.#process.stderr)
    ]);
    return { ...status, stdout: new Uint8Array(stdout), stderr: new Uint8Array(stderr) };
  }

  /** Sends the program a signal. */
  kill(signal: NodeJS.Signals = 'SIGTERM'): void {
    this.#process.kill(signal);
  }

  /** Keeps the process of the cells alive while the program runs. */
  ref(): void {
    this.#process.ref();
  }

  /** Lets the process of the cells end before the program. */
  unref(): void {
    this.#process.unref();
  }
}

/** Waits until the program has started or failed to: the pipes of one that failed never end. */
async function started(child: ChildProcess): Promise<ChildProcess> {
  if (child.pid < 0) await child.status;
  return child;
}

function nodeStdio(stdio: Stdio): 'pipe' | 'inherit' | 'ignore' {
  if (stdio === 'piped') return 'pipe';
  return stdio === 'null' ? 'ignore' : 'inherit';
}

const SIGNAL_STATUS = 128;

function statusOf(end: {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}): CommandStatus {
  const code = end.status ?? SIGNAL_STATUS + (end.signal === null ? 0 : constants.signals[end.signal]);
  return { success: end.status === 0, code, signal: end.signal };
}

function notPiped(stream: string): TypeError {
  return new TypeError(`${stream} is not piped: start the program with { ${stream}: "piped" }`);
}
