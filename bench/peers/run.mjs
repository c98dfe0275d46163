/** Runs the peers: the Python libraries in one process, the driver program in another. A missing one leaves a gap and a note. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const TIMEOUT_MS = 180_000;
/** Static, so that the program also runs on other machines. */
export const DRIVER_FLAGS = ['-O2', '-std=c++17', '-static-libstdc++', '-static-libgcc'];

/** @typedef {Record<string, Record<string, number>>} Figures by library and key */
/** @typedef {{ figures: Figures, versions: Record<string, string>, notes: string[] }} Peers */

/** @param {boolean} simulated @param {{ device: number, host: number }} sizes in bytes @returns {Peers} */
export function runPeers(simulated, sizes) {
  const peers = runPython(simulated ? 'cpu' : 'cuda', sizes);
  return simulated ? peers : withDriver(peers, sizes);
}

/** @param {string} program @param {readonly string[]} args */
function run(program, args) {
  return spawnSync(program, args, { encoding: 'utf8', timeout: TIMEOUT_MS, maxBuffer: 2 ** 24 });
}

/** @param {string} kind @param {{ device: number, host: number }} sizes @returns {Peers} */
function runPython(kind, sizes) {
  const program = process.env['STRIDELAB_BENCH_PYTHON'] ?? 'python3';
  const args = [join(here, 'peers.py'), kind, String(sizes.device), String(sizes.host)];
  const { status, stdout, stderr, error } = run(program, args);
  const last = (stdout ?? '').trim().split('\n').at(-1) ?? '';
  try {
    const { figures, versions, problems } = JSON.parse(last);
    return { figures, versions, notes: problems };
  } catch {
    const reason = error?.message ?? `status ${status}: ${(stderr ?? '').trim().slice(-300)}`;
    return { figures: {}, versions: {}, notes: [`${program}: ${reason}`] };
  }
}

/** @param {Peers} peers @param {{ device: number, host: number }} sizes @returns {Peers} */
function withDriver(peers, sizes) {
  const folder = mkdtempSync(join(tmpdir(), 'stridelab-bench-'));
  try {
    const program = driverProgram(folder);
    if (program === undefined)
      return {
        ...peers,
        notes: [...peers.notes, 'driver: found no C++ compiler that builds bench/peers/driver.cc']
      };
    const { stdout, stderr, error } = run(program, [String(sizes.device), String(sizes.host)]);
    const figures = parse(stdout);
    if (figures !== undefined) return { ...peers, figures: { ...peers.figures, driver: figures } };
    const reason = error?.message ?? (stderr.trim() || 'no figures');
    return { ...peers, notes: [...peers.notes, `driver: ${reason}`] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the program beside its source, as in bundles, or a new build. @param {string} folder @returns {string | undefined} */
function driverProgram(folder) {
  const built = join(here, 'driver');
  if (existsSync(built)) return built;
  const target = join(folder, 'driver');
  for (const compiler of ['c++', 'g++', 'clang++'])
    if (run(compiler, [...DRIVER_FLAGS, join(here, 'driver.cc'), '-o', target, '-ldl']).status === 0)
      return target;
  return undefined;
}

/** @param {string | null} text @returns {Record<string, number> | undefined} */
function parse(text) {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
