/** Runs npm for a cell, with its progress on one line that is overwritten. */

import { CLEAR_LINE, runProgram, toStdout, type TextSink } from './commands.ts';

/** Flags of commands that fetch. npm has no progress bar for pipes; its request log serves as one. */
const FETCHING = [
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--loglevel=http',
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000'
];
const OFFLINE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/;
const FETCHED = /npm http fetch \w+ \d+ \S*?\/((?:@[^/\s]+(?:\/|%2f))?[^/\s]+)(?:\/-\/\S*)? /;

export interface NpmCommand {
  /** The folder with the `package.json`. */
  readonly folder: string;
  readonly args: readonly string[];
  /** Whether the command fetches packages. */
  readonly fetches: boolean;
}

export interface NpmSinks {
  readonly stdout: TextSink;
  /** Receives the lines of stderr, without the log of requests. */
  readonly stderr: TextSink;
}

export interface NpmEnd {
  readonly status: number | NodeJS.Signals;
  readonly log: string;
}

/** Why npm failed. */
export interface NpmFailure {
  readonly kind: 'offline' | 'no-package' | 'no-version' | 'conflict' | 'other';
  /** The code of the network's error, the package, the package with its range, or npm's own words. */
  readonly subject: string;
}

/** Runs npm to its end. Throws `MagicError` if it cannot be started. */
export async function runNpm(command: NpmCommand, signal: AbortSignal, sinks: NpmSinks): Promise<NpmEnd> {
  const { folder, args, fetches } = command;
  let log = '';
  const progress = new FetchProgress(sinks.stderr);
  const program = {
    file: 'npm',
    args: ['--prefix', folder, ...args, ...(fetches ? FETCHING : [])],
    cwd: folder
  };
  const print = (text: string): void => {
    progress.clear();
    sinks.stdout(text);
  };
  const status = await runProgram(program, signal, print, text => {
    log += text;
    progress.push(text);
  });
  progress.clear();
  return { status, log };
}

export function npmFailure({ log, status }: NpmEnd): NpmFailure {
  const offline = OFFLINE.exec(log);
  if (offline !== null) return { kind: 'offline', subject: offline[1]! };
  const missing =
    /404 +'?([^'\s]+)'? is not in this registry/.exec(log) ?? /404 Not Found - GET \S+\/(\S+)/.exec(log);
  if (missing !== null) {
    const subject = decodeURIComponent(missing[1]!).replace(/(?<=.)@[^/]*$/, '');
    return { kind: 'no-package', subject };
  }
  const version = /No matching version found for (\S+?)\.?\s/.exec(log);
  if (version !== null) return { kind: 'no-version', subject: version[1]! };
  const [reason] = log.match(/(?<=npm error )(?!code|errno|A complete log|syscall|\d{3}\s*$).+/) ?? [];
  const kind = /npm error code ERESOLVE\b/.test(log) ? 'conflict' : 'other';
  return { kind, subject: reason ?? `exit status ${status}` };
}

/** Shows the package being fetched on one line that is overwritten; passes all other text on. */
class FetchProgress {
  readonly #other: TextSink;
  #partial = '';
  #count = 0;
  #shown = false;

  constructor(other: TextSink) {
    this.#other = other;
  }

  push(text: string): void {
    const lines = (this.#partial + text).split('\n');
    this.#partial = lines.pop()!;
    for (const line of lines) this.#line(line);
  }

  /** Erases the line, to make room for other text. */
  clear(): void {
    if (this.#shown) toStdout(CLEAR_LINE);
    this.#shown = false;
  }

  #line(line: string): void {
    const fetched = FETCHED.exec(line);
    if (fetched !== null) {
      this.#count += 1;
      this.#shown = true;
      toStdout(`${CLEAR_LINE}fetching … ${this.#count} ${decodeURIComponent(fetched[1]!)}`);
    } else if (!line.startsWith('npm http')) {
      this.clear();
      this.#other(`${line}\n`);
    }
  }
}
