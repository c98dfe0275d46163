/** `Deno.env`, `Deno.cwd`, `Deno.version` and other facts about the process and its machine. */

import { createRequire } from 'node:module';
import * as os from 'node:os';
import { fileURLToPath } from 'node:url';
import { blocking } from './system-calls.ts';

/** Arguments of the program: a notebook has none. */
export const args: string[] = [];

/** Process id of the process that runs the cells. */
export const pid = process.pid;

/** Process id of its parent. */
export const ppid = process.ppid;

/** Whether the environment variable `NO_COLOR` asks for output without colours. */
export const noColor = Boolean(process.env['NO_COLOR']);

/** The version of Deno whose calls these are, and the versions of V8 and TypeScript that run and check the cells. */
export const version: Readonly<Record<'deno' | 'v8' | 'typescript', string>> = {
  deno: '2.9.6',
  v8: process.versions.v8,
  typescript: (createRequire(import.meta.url)('ts7/package.json') as { version: string }).version
};

const arch = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
const system = process.platform === 'win32' ? 'windows' : process.platform;
const vendors: Readonly<Record<string, string>> = { darwin: 'apple', linux: 'unknown', windows: 'pc' };
const vendor = vendors[system] ?? 'unknown';

/** The processor and the operating system. */
export const build: Readonly<Record<'target' | 'arch' | 'os' | 'vendor', string>> & {
  readonly env?: string;
  readonly standalone: boolean;
} = {
  target: `${arch}-${vendor}-${system}${system === 'linux' ? '-gnu' : ''}`,
  arch,
  os: system,
  vendor,
  ...(system === 'linux' && { env: 'gnu' }),
  standalone: false
};

/** The environment variables. */
export const env = {
  /** Returns a variable; undefined if it is not set. */
  get: (name: string): string | undefined => process.env[name],
  /** Sets a variable. */
  set(name: string, value: string): void {
    process.env[name] = value;
  },
  /** Returns whether a variable is set. */
  has: (name: string): boolean => process.env[name] !== undefined,
  /** Removes a variable. */
  delete(name: string): void {
    delete process.env[name];
  },
  /** Returns all variables. */
  toObject: (): Record<string, string> =>
    Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    )
};

/** Returns the working directory. */
export function cwd(): string {
  return blocking(() => process.cwd());
}

/** Changes the working directory. */
export function chdir(folder: string | URL): void {
  blocking(() => process.chdir(typeof folder === 'string' ? folder : fileURLToPath(folder)));
}

/** Ends the process that runs the cells: the notebook's variables are lost. */
export function exit(code = 0): never {
  return process.exit(code);
}

/** Returns the path of the program that runs the cells, which is Node. */
export function execPath(): string {
  return process.execPath;
}

/** Sends a signal to a process. */
export function kill(process_: number, signal: NodeJS.Signals = 'SIGTERM'): void {
  blocking(() => process.kill(process_, signal));
}

/** Returns the name of the machine. */
export function hostname(): string {
  return os.hostname();
}

/** Returns the release of the operating system. */
export function osRelease(): string {
  return os.release();
}

/** Returns for how many seconds the system has been running. */
export function osUptime(): number {
  return Math.floor(os.uptime());
}

/** Returns the average load of the last 1, 5 and 15 minutes. */
export function loadavg(): number[] {
  return os.loadavg();
}

/** Returns the memory of the process in bytes. */
export function memoryUsage(): Record<'rss' | 'heapTotal' | 'heapUsed' | 'external', number> {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  return { rss, heapTotal, heapUsed, external };
}

/** Returns the size of the terminal whose control sequences output understands. */
export function consoleSize(): Record<'columns' | 'rows', number> {
  const { columns = 80, rows = 24 } = process.stdout;
  return { columns, rows };
}

/** Returns the id of the user; null if the system has none. */
export function uid(): number | null {
  return process.getuid?.() ?? null;
}

/** Returns the id of the group; null if the system has none. */
export function gid(): number | null {
  return process.getgid?.() ?? null;
}

function output(stream: NodeJS.WriteStream): {
  write(bytes: Uint8Array): Promise<number>;
  writeSync(bytes: Uint8Array): number;
  isTerminal(): boolean;
  readonly writable: WritableStream<Uint8Array>;
} {
  const writeSync = (bytes: Uint8Array): number => {
    stream.write(bytes);
    return bytes.byteLength;
  };
  return {
    write: bytes => Promise.resolve(writeSync(bytes)),
    writeSync,
    isTerminal: () => stream.isTTY,
    get writable() {
      return new WritableStream<Uint8Array>({ write: bytes => void writeSync(bytes) });
    }
  };
}

/** Standard output of the running cell. */
export const stdout = output(process.stdout);

/** Standard error of the running cell. */
export const stderr = output(process.stderr);
