/** Runs the peers, each in a process of its own. A missing or failing one leaves gaps, and a note with the reason. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const TIMEOUT_MS = 120_000;
/** Static, so that the program also runs on other machines. */
export const DRIVER_FLAGS = ['-O2', '-std=c++17', '-static-libstdc++', '-static-libgcc'];

/** @typedef {import('../measures.mjs').Sizes} Sizes */
/** @typedef {{ figures: Record<string, number>, versions: Record<string, string>, notes: string[] }} Peer */

/** The names of the peers beside a device, as columns of the table. @param {boolean} simulated */
export const peersOf = simulated =>
  simulated ? ['numpy', 'torch'] : ['driver', 'cupy', 'torch', 'numba', 'cuda.core'];

/** @param {string} name @param {Sizes} sizes @param {readonly string[]} groups @returns {Peer} */
export function runPeer(name, sizes, groups) {
  return name === 'driver' ? runDriver(sizes, groups) : runPython(name, sizes, groups);
}

/** @param {string} program @param {readonly string[]} args */
function run(program, args) {
  return spawnSync(program, args, { encoding: 'utf8', timeout: TIMEOUT_MS, maxBuffer: 2 ** 24 });
}

/** @param {string} text @returns {any[]} the JSON values of its lines */
function parse(text) {
  return text.split('\n').flatMap(line => {
    try {
      return [JSON.parse(line)];
    } catch {
      return []; // a library's message, or the line that a crash cut off
    }
  });
}

/** @param {string} name @param {Sizes} sizes @param {readonly string[]} groups @returns {Peer} */
function runPython(name, sizes, groups) {
  const program = process.env['STRIDELAB_BENCH_PYTHON'] ?? 'python3';
  const args = [join(here, 'peers.py'), name.replace('.', '_'), JSON.stringify(sizes), ...groups];
  const { status, stdout, stderr, error } = run(program, args);
  /** @type {Peer} */
  const peer = { figures: {}, versions: {}, notes: [] };
  for (const { versions, figures, problem, problems = [], group } of parse(stdout ?? '')) {
    Object.assign(peer.versions, versions);
    Object.assign(peer.figures, figures);
    if (problem !== undefined) peer.notes.push(`${name}: ${problem}`);
    for (const each of problems) peer.notes.push(`${name}, ${group}: ${each}`);
  }
  if (status !== 0)
    peer.notes.push(
      `${name}: ${error?.message ?? `${program} ended with status ${status}: ${stderr.trim().slice(-300)}`}`
    );
  return peer;
}

/** @param {Sizes} sizes @param {readonly string[]} groups @returns {Peer} */
function runDriver(sizes, groups) {
  const folder = mkdtempSync(join(tmpdir(), 'stridelab-bench-'));
  try {
    const program = driverProgram(folder);
    if (program === undefined)
      return failed('driver: found no C++ compiler that builds bench/peers/driver.cc');
    const { stdout, stderr, error } = run(program, [String(sizes.device), String(sizes.host), ...groups]);
    const [figures] = parse(stdout ?? '');
    if (figures !== undefined) return { figures, versions: {}, notes: [] };
    return failed(`driver: ${error?.message ?? (stderr.trim() || 'no figures')}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} note @returns {Peer} */
const failed = note => ({ figures: {}, versions: {}, notes: [note] });

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
