/**
 * The benchmark: `node bench/run.mjs [DEVICE] [--only GROUP]... [--out FOLDER]`. Measures Stridelab on the device (by default the simulated
 * one) and the peers in the same run, prints the table, and writes FOLDER/<date>-<device>.md and .json (bench/results by default), anew
 * after each part. STRIDELAB_BENCH_PYTHON names the Python that has the peers. The cost of recorders (listening.mjs) goes to a separate
 * page. bench/draw.mjs makes the pictures of docs/performance.md from the JSON.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { devices } from 'stridelab';
import { groupsOf, sizesOf } from './measures.mjs';
import { parts } from './ours/parts.mjs';
import { peersOf, runPeer } from './peers/run.mjs';
import { table } from './table.mjs';

const TIMEOUT_MS = 120_000;
/** Groups that are measured in several rounds, in which the libraries take turns: their times depend on what else the host does. */
const REPEATED = ['calls', 'products', 'graphs', 'transfers'];
const ROUNDS = 3;
const here = fileURLToPath(new URL('.', import.meta.url));
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', multiple: true }, out: { type: 'string' } }
});
const label = positionals[0] ?? 'sim:0';
const found = devices().find(candidate => candidate.label === label);
if (found === undefined)
  throw new Error(`unknown device ${label}: expected one of ${devices().map(String).join(', ')}`);
const device = found;
const known = [...Object.keys(parts), 'recorders'];
const wanted = values.only ?? known;
const unknown = wanted.find(group => !known.includes(group));
if (unknown !== undefined) throw new Error(`unknown group ${unknown}: expected one of ${known.join(', ')}`);
const chosen = wanted.filter(group => group in parts);
const sizes = sizesOf(device.simulated);
const measures = Object.values(groupsOf(sizes)).flat();
const began = performance.now();
const date = new Date().toISOString().slice(0, 10);
const folder = values.out ?? join(here, 'results');
const count = devices().filter(
  each => each.kind === device.kind && each.simulated === device.simulated
).length;
const machine = `${wanted.includes('several') && count > 1 ? `${count} times ` : ''}${device.name}`;
const file = join(folder, `${date}-${machine.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/-$/, '')}`);
mkdirSync(folder, { recursive: true });

/** Medians of the rounds. @type {import('./table.mjs').Figures} */
const figures = {};
/** What each round measured, by library and key. @type {Record<string, Record<string, number[]>>} */
const measured = {};
/** @type {Record<string, string>} */
const versions = {};
/** @type {Set<string>} */
const notes = new Set();
let failed = false;

/** @param {string} name @param {Record<string, number>} found */
function add(name, found) {
  const [all, medians] = [(measured[name] ??= {}), (figures[name] ??= {})];
  for (const [key, value] of Object.entries(found)) {
    const values = (all[key] ??= []);
    values.push(value);
    medians[key] = values.toSorted((x, y) => x - y)[values.length >> 1] ?? NaN;
  }
}

/** @param {string} group @param {string} part */
function ours(group, part) {
  const args = [join(here, 'ours.mjs'), label, group, part];
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: TIMEOUT_MS
  });
  if (status !== 0) {
    notes.add(`${group}, ${part}: ${error?.message ?? stderr.trim().split('\n').slice(0, 8).join(' ')}`);
    failed = true;
    return;
  }
  const { figures: found, problems } = JSON.parse(stdout);
  for (const problem of problems) notes.add(`Stridelab, ${problem}`);
  failed ||= problems.length > 0;
  add('stridelab', found);
}

function page() {
  const driver = device.native.driverVersion;
  const libraries = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `# Benchmark of ${date}: ${machine}

* Device ${device}, compute capability ${device.computeCapability.join('.')}, driver API ${Math.floor(driver / 1000)}.${(driver % 1000) / 10}
* Host: ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${process.platform} ${release()}
* Node ${process.version}; ${libraries.join(', ') || 'no peers'}; ${Math.round((performance.now() - began) / 1000)} s
* Host times are medians of 15 batches, after warm-up. Rates are by the device's clock: medians of 15 calls, each submitted while the one before it runs; of small products, replays of a graph. Copies from and to the host are medians of 7, by the host's clock
* Of ${REPEATED.join(', ')}, the medians of ${ROUNDS} rounds in which the libraries took turns
* In brackets: how many times better Stridelab is. Compare only within this run: host times differ by up to a factor of two between machines

${table(measures, figures)}
${[...notes].map(note => `\nNot measured: ${note.replaceAll(/\s+/g, ' ')}\n`).join('')}`;
}

/** Writes what is known so far, and reports what was done. @param {string} done */
function store(done) {
  console.error(`${((performance.now() - began) / 1000).toFixed(1)} s: ${done}`);
  writeFileSync(`${file}.md`, page());
  const facts = { date, machine, host: cpus()[0]?.model.trim(), cores: cpus().length, versions };
  writeFileSync(`${file}.json`, `${JSON.stringify({ ...facts, figures, notes: [...notes] }, null, 1)}\n`);
}

for (let round = 1; round <= ROUNDS; round++) {
  const groups = round === 1 ? chosen : chosen.filter(group => REPEATED.includes(group));
  if (groups.length === 0) break;
  for (const group of groups)
    for (const part of Object.keys(parts[group] ?? {})) {
      ours(group, part);
      store(`round ${round}: Stridelab, ${part}`);
    }
  for (const name of peersOf(device.simulated)) {
    const peer = runPeer(name, sizes, groups);
    add(name, peer.figures);
    Object.assign(versions, peer.versions);
    for (const note of peer.notes) notes.add(note);
    store(`round ${round}: ${name}`);
  }
}
console.log(page());
console.log(`${file}.md`);
process.exitCode = failed ? 1 : 0;
if (wanted.includes('recorders')) {
  const args = [join(here, 'listening.mjs'), label, '--out', folder];
  process.exitCode ||= spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}
