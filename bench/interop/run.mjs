/**
 * Tests the exchange of arrays with each library: `node bench/interop/run.mjs [host|cuda] [--only NAME,NAME] [--out FILE]`.
 * Each library is tested in a separate process, so that a hang or crash affects no other. STRIDELAB_PYTHON names their Python.
 * Writes bench/results/interop-host.json or interop-cuda.json, from which docs/interop.md is generated; `--merge` keeps other reports.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { devices } from 'stridelab';
import { libraries } from './libraries.mjs';
import { protocols } from './facts.mjs';

/**
 * @typedef {import('./facts.mjs').Report} Report
 * @typedef {import('./facts.mjs').Run} Run
 * @typedef {import('./facts.mjs').Crossing} Crossing
 * @typedef {import('./libraries.mjs').Library} Library
 */

const TIMEOUT_MS = 120_000;
const CROSSINGS = 2 * protocols.length;

/**
 * Tests one library; `module` drives it, in `folder` or in python/.
 * @param {Library & { folder?: string }} library
 * @param {'host' | 'cuda'} where
 * @param {number} timeout milliseconds for one process
 * @returns {Report & { python?: string }}
 */
export function examine({ name, module, folder: drivers }, where, timeout = TIMEOUT_MS) {
  const folder = mkdtempSync(join(tmpdir(), 'stridelab-interop-'));
  const file = join(folder, 'found.jsonl');
  /** @type {Report & { python?: string }} */
  const report = { library: name, outcome: 'failed', crossings: [] };
  try {
    /** @type {Record<string, string>} */
    let crashed = {};
    while (report.crossings.length < CROSSINGS) {
      writeFileSync(file, '');
      const program = join(import.meta.dirname, 'examine.mjs');
      const done = String(report.crossings.length);
      const { status, signal, stderr } = spawnSync(
        process.execPath,
        [program, module, where, file, done, JSON.stringify(crashed), drivers ?? ''],
        { encoding: 'utf8', env: process.env, timeout, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 }
      );
      const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
      /** @type {{ step: string } & Pick<Crossing, 'protocol' | 'direction'> | undefined} */
      let last;
      for (const line of lines.map(text => JSON.parse(text))) {
        if (line.version !== undefined) Object.assign(report, line);
        if (line.step !== undefined) last = line;
        if (line.crossing === undefined) continue;
        report.crossings.push(line.crossing);
        [last, crashed] = [undefined, {}];
      }
      const words = signal === null ? undefined : stderr.trim().split('\n').at(-1);
      const end = signal === null ? `ended with status ${status}` : `was ended by ${signal}`;
      const ended = `the process ${end}${words ? `: ${words}` : ''}`;
      if (lines.length === 0) return { ...report, ...failure(stderr, ended) };
      if (last === undefined) {
        if (report.crossings.length < CROSSINGS) return { ...report, why: ended };
      } else if (last.step === 'the library' || crashed[last.step] !== undefined) {
        const { protocol, direction } = last;
        report.crossings.push({ protocol, direction, outcome: 'crashed', why: ended });
        crashed = {};
      } else crashed = { ...crashed, [last.step]: ended };
    }
    return { ...report, outcome: 'ran' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the outcome if there are no results: the library is missing or unusable. @param {string} stderr @param {string} ended @returns {{ outcome: 'absent' | 'failed', why: string }} */
function failure(stderr, ended) {
  const missing = /(?:ModuleNotFoundError: )(No module named '[^']*')/.exec(stderr)?.[1];
  if (missing !== undefined) return { outcome: 'absent', why: missing };
  const told = stderr.split('\n').find(line => /^\S*(Error|Exception)\b/.test(line));
  return { outcome: 'failed', why: (told ?? ended).replaceAll(/\/\S*\//g, '').slice(0, 200) };
}

/** @param {'host' | 'cuda'} where @param {readonly string[] | undefined} only @returns {Run} */
export function runAll(where, only) {
  /** @type {Report[]} */
  const reports = [];
  let python = '';
  for (const library of libraries[where]) {
    if (only !== undefined && !only.includes(library.name)) continue;
    const { python: version = '', ...report } = examine(library, where);
    python ||= version;
    reports.push(report);
    const told = report.crossings.filter(({ outcome }) => outcome !== 'absent').length;
    console.log(`${library.name.padEnd(20)} ${report.outcome} ${report.why ?? `${told} crossings`}`);
  }
  const gpu = where === 'cuda' ? devices().find(({ label }) => label === 'cuda:0') : undefined;
  const driver = gpu?.native.driverVersion;
  return {
    where,
    machine: {
      cpu: `${cpus()[0]?.model.trim()}, ${cpus().length} cores`,
      gpu: gpu?.name ?? null,
      driver: driver === undefined ? null : `CUDA ${Math.floor(driver / 1000)}.${(driver % 1000) / 10}`,
      node: process.version,
      python,
      date: new Date().toISOString().slice(0, 10)
    },
    reports
  };
}

if (process.argv[1] === import.meta.filename) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string' }, out: { type: 'string' }, merge: { type: 'boolean' } }
  });
  const where = positionals[0] === 'cuda' ? 'cuda' : 'host';
  const file = values.out ?? join(import.meta.dirname, '..', 'results', `interop-${where}.json`);
  const run = runAll(where, values.only?.split(','));
  if (values.merge && existsSync(file)) {
    /** @type {Run} */
    const before = JSON.parse(readFileSync(file, 'utf8'));
    const fresh = new Map(run.reports.map(report => [report.library, report]));
    run.reports = [
      ...before.reports.map(report => fresh.get(report.library) ?? report),
      ...run.reports.filter(({ library }) => !before.reports.some(other => other.library === library))
    ];
  }
  writeFileSync(file, `${JSON.stringify(run, null, 1)}\n`);
  console.log(file);
}
