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

/** @type {import('./table.mjs').Figures} */
const figures = { stridelab: {} };
/** @type {Record<string, string>} */
const versions = {};
/** @type {string[]} */
const notes = [];

/** @param {string} group @param {string} part */
function ours(group, part) {
  const args = [join(here, 'ours.mjs'), label, group, part];
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: TIMEOUT_MS
  });
  if (status !== 0) {
    notes.push(`${group}, ${part}: ${error?.message ?? stderr.trim().split('\n').slice(0, 8).join(' ')}`);
    return {};
  }
  const measured = JSON.parse(stdout);
  notes.push(...measured.problems.map((/** @type {string} */ problem) => `Stridelab, ${problem}`));
  return measured.figures;
}

function page() {
  const driver = device.native.driverVersion;
  const libraries = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `# Benchmark of ${date}: ${machine}

* Device ${device}, compute capability ${device.computeCapability.join('.')}, driver API ${Math.floor(driver / 1000)}.${(driver % 1000) / 10}
* Host: ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${process.platform} ${release()}
* Node ${process.version}; ${libraries.join(', ') || 'no peers'}; ${Math.round((performance.now() - began) / 1000)} s
* Host times are medians of 15 batches, after warm-up. Rates are by the device's clock: medians of 15 calls, each submitted while the one before it runs; of small products, replays of a graph. Copies from and to the host are medians of 7, by the host's clock
* In brackets: how many times better Stridelab is. Compare only within this run: host times differ by up to a factor of two between machines

${table(measures, figures)}
${notes.map(note => `\nNot measured: ${note.replaceAll(/\s+/g, ' ')}\n`).join('')}`;
}

/** Writes what is known so far, and reports what was done. @param {string} done */
function store(done) {
  console.error(`${((performance.now() - began) / 1000).toFixed(1)} s: ${done}`);
  writeFileSync(`${file}.md`, page());
  const facts = { date, machine, host: cpus()[0]?.model.trim(), cores: cpus().length, versions };
  writeFileSync(`${file}.json`, `${JSON.stringify({ ...facts, figures, notes }, null, 1)}\n`);
}

for (const group of chosen)
  for (const part of Object.keys(parts[group] ?? {})) {
    Object.assign(figures['stridelab'] ?? {}, ours(group, part));
    store(`Stridelab, ${part}`);
  }
const failures = notes.length;
for (const name of peersOf(device.simulated)) {
  const peer = runPeer(name, sizes, chosen);
  figures[name] = peer.figures;
  Object.assign(versions, peer.versions);
  notes.push(...peer.notes);
  store(name);
}
console.log(page());
console.log(`${file}.md`);
process.exitCode = failures === 0 ? 0 : 1;
if (wanted.includes('recorders')) {
  const args = [join(here, 'listening.mjs'), label, '--out', folder];
  process.exitCode ||= spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}
