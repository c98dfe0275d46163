/** Compiled device code on disk, by what it was compiled from: a notebook that runs again compiles nothing. */

import { createHash, randomUUID } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Code ready to load, and the lowered names of the kernels that were asked for by C++ names. */
export interface CompiledCode {
  readonly code: Uint8Array;
  readonly lowered: readonly string[];
  /** The compiler's warnings. */
  readonly log: string;
}

/** Beyond this many bytes the entries that were used longest ago go. */
const LIMIT = 512 * 2 ** 20;
const SUFFIX = '.code';

/** `STRIDELAB_CACHE_DIR`, else the user's cache folder; null where `STRIDELAB_CACHE_DIR` is `off`. */
export function cacheFolder(): string | null {
  const chosen = process.env['STRIDELAB_CACHE_DIR'];
  if (chosen === 'off') return null;
  if (chosen !== undefined && chosen !== '') return chosen;
  const base = process.env['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'stridelab', 'code');
}

/** The name under which code compiled from all these is kept. */
export function cacheKey(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}

/** An entry is a line of JSON and then the code. */
function encode({ code, lowered, log }: CompiledCode): Buffer {
  const check = createHash('sha256').update(code).digest('hex');
  return Buffer.concat([Buffer.from(`${JSON.stringify({ lowered, log, check })}\n`), code]);
}

function decode(entry: Buffer): CompiledCode | undefined {
  const end = entry.indexOf(10);
  if (end < 0) return undefined;
  const { lowered, log, check } = JSON.parse(entry.toString('utf8', 0, end)) as {
    lowered: string[];
    log: string;
    check: string;
  };
  const code = entry.subarray(end + 1);
  return createHash('sha256').update(code).digest('hex') === check ? { code, lowered, log } : undefined;
}

/** Undefined where there is none, or one that was damaged. */
export function readCache(key: string): CompiledCode | undefined {
  const folder = cacheFolder();
  if (folder === null) return undefined;
  const path = join(folder, key + SUFFIX);
  try {
    const found = decode(readFileSync(path));
    const now = new Date();
    if (found !== undefined) utimesSync(path, now, now);
    return found;
  } catch {
    return undefined; // absent, unreadable or cut off: it is compiled again
  }
}

/** Best effort: a folder that cannot be written costs a compilation later, not this one. */
export function writeCache(key: string, compiled: CompiledCode): void {
  const folder = cacheFolder();
  if (folder === null) return;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const draft = join(folder, `.${randomUUID()}`);
    writeFileSync(draft, encode(compiled), { mode: 0o600 });
    renameSync(draft, join(folder, key + SUFFIX)); // whole or not at all, also for other processes
    prune(folder);
  } catch {
    return;
  }
}

function prune(folder: string): void {
  const entries = readdirSync(folder)
    .filter(name => name.endsWith(SUFFIX))
    .map(name => {
      const { size, mtimeMs } = statSync(join(folder, name));
      return { name, size, mtimeMs };
    })
    .sort((a, b) => b.mtimeMs - a.mtimeMs);
  let total = 0;
  for (const { name, size } of entries) {
    total += size;
    if (total > LIMIT) rmSync(join(folder, name), { force: true });
  }
}
