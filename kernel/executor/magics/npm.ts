/** `%npm`: installs packages in the notebook's folder, importable by the next cell. */

import { runProgram, toStderr, toStdout } from './commands.ts';
import { MagicError, type MagicCall, type MagicTable } from './magic.ts';

const INSTALLS = new Set(['install', 'i', 'add', 'update', 'up', 'uninstall', 'remove', 'rm', 'un']);
const OFFLINE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/;
const FETCHED = /npm http fetch \w+ \d+ \S*?\/((?:@[^/\s]+(?:\/|%2f))?[^/\s]+)(?:\/-\/\S*)? /;
/** Returns to the start of the line and erases it. */
const CLEAR_LINE = '\r\x1b[K';

export const npmMagics: MagicTable<'%npm'> = {
  '%npm': {
    usage: '%npm install|uninstall|ls|… [PACKAGE …]',
    summary:
      "Runs npm in the notebook's folder and updates its package.json; the same cell can import new packages",
    run: npm
  }
};

async function npm({ argument, folder, signal }: MagicCall): Promise<void> {
  const words = argument.split(/\s+/).filter(word => word !== '');
  const [command] = words;
  if (command === undefined) throw new MagicError('%npm needs a command, for instance: %npm install zod');
  const changes = INSTALLS.has(command);
  const args = [
    '--prefix',
    folder,
    ...words,
    ...(changes ? ['--no-audit', '--no-fund', '--no-update-notifier'] : [])
  ];
  // npm has no progress bar for pipes; its request log serves as one.
  if (changes) args.push('--loglevel=http', '--fetch-retries=1', '--fetch-retry-mintimeout=1000');
  let log = '';
  const progress = new FetchProgress();
  const print = (text: string): void => {
    progress.clear();
    toStdout(text);
  };
  const status = await runProgram({ file: 'npm', args, cwd: folder }, signal, print, text => {
    log += text;
    progress.push(text);
  });
  progress.clear();
  if (status !== 0) throw new MagicError(failure(command, log, status), 'NpmError');
}

function failure(command: string, log: string, status: number | NodeJS.Signals): string {
  const offline = OFFLINE.exec(log);
  if (offline !== null) {
    return `npm ${command} could not reach the registry (${offline[1]}): check the network and \`npm config get registry\``;
  }
  const missing =
    /404 +'?([^'\s]+)'? is not in this registry/.exec(log) ?? /404 Not Found - GET \S+\/(\S+)/.exec(log);
  if (missing !== null) return `The registry has no package "${missing[1]}": check the name`;
  const [reason] = log.match(/(?<=npm error )(?!code|errno|A complete log|syscall|\d{3}\s*$).+/) ?? [];
  return `npm ${command} failed: ${reason ?? `exit status ${status}`}`;
}

/** Shows the package being fetched on one line that is overwritten; passes all other text on. */
class FetchProgress {
  #partial = '';
  #count = 0;
  #shown = false;

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
      toStderr(`${line}\n`);
    }
  }
}
