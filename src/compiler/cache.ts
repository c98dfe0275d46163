/** Cache of compiled device code on disk, keyed by its inputs, so that a notebook that runs again compiles nothing. */

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

/** Code ready to load, and the lowered names of the kernels that were requested by C++ name. */
export interface CompiledCode {
  readonly code: Uint8Array;
  readonly lowered: readonly string[];
  /** The compiler's warnings. */
  readonly log: string;
}

const MEBI = 2 ** 20;
/** Default limit in MiB, above which the least recently used entries are deleted; `STRIDELAB_CACHE_MIB` sets another. */
const DEFAULT_LIMIT = 512;
const SUFFIX = '.code';
/** Drafts older than this were left by processes that exited while writing them. */
const DRAFT_SUFFIX = '.draft';
const DRAFT_LIFE_MS = 3_600_000;

/** Returns `STRIDELAB_CACHE_DIR` or the user's cache folder; null if `STRIDELAB_CACHE_DIR` is `off`. */
export function cacheFolder(): string | null {
  const chosen = process.env['STRIDELAB_CACHE_DIR'];
  if (chosen === 'off') return null;
  if (chosen !== undefined && chosen !== '') return chosen;
  const base = process.env['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'stridelab', 'code');
}

export function cacheKey(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}

const digest = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
/** Hexadecimal digits of a digest. */
const DIGITS = 64;

/** Encodes an entry: a digest of the rest, a line of JSON, and the code. */
function encode({ code, lowered, log }: CompiledCode): Buffer {
  const content = Buffer.concat([Buffer.from(`${JSON.stringify({ lowered, log })}\n`), code]);
  return Buffer.concat([Buffer.from(digest(content)), content]);
}

function decode(entry: Buffer): CompiledCode | undefined {
  const content = entry.subarray(DIGITS);
  if (entry.toString('latin1', 0, DIGITS) !== digest(content)) return undefined;
  const end = content.indexOf(10);
  const head = JSON.parse(content.toString('utf8', 0, end)) as Pick<CompiledCode, 'lowered' | 'log'>;
  return { ...head, code: content.subarray(end + 1) };
}

/** Reads an entry; undefined if it is missing or damaged. */
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
    return undefined; // absent, unreadable or truncated: compile again
  }
}

/** Writes an entry. Best effort: if the folder cannot be written, a later run compiles again. */
export function writeCache(key: string, compiled: CompiledCode): void {
  const folder = cacheFolder();
  if (folder === null) return;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const draft = join(folder, randomUUID() + DRAFT_SUFFIX);
    writeFileSync(draft, encode(compiled), { mode: 0o600 });
    renameSync(draft, join(folder, key + SUFFIX)); // atomic, also for other processes
    prune(folder);
  } catch {
    return;
  }
}

function limit(): number {
  const chosen = Number(process.env['STRIDELAB_CACHE_MIB'] || DEFAULT_LIMIT);
  return (chosen >= 0 ? chosen : DEFAULT_LIMIT) * MEBI;
}

function prune(folder: string): void {
  const files = readdirSync(folder).flatMap(name => {
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false }); // another process may prune too
    return found === undefined ? [] : [{ path, size: found.size, used: found.mtimeMs }];
  });
  const entries = files.filter(({ path }) => path.endsWith(SUFFIX)).sort((a, b) => b.used - a.used);
  const allowed = limit();
  let total = 0;
  const drop = entries.filter(({ size }) => (total += size) > allowed);
  const old = Date.now() - DRAFT_LIFE_MS;
  const drafts = files.filter(({ path, used }) => path.endsWith(DRAFT_SUFFIX) && used < old);
  for (const { path } of [...drop, ...drafts]) rmSync(path, { force: true });
}
