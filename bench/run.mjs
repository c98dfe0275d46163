/**
 * The table of ratios: `node bench/run.mjs [DEVICE] [--out FOLDER]`. Measures Stridelab on the device (by default the simulated one) and
 * the peers in the same run, prints the table and writes it to FOLDER/<date>-<device>.md (bench/results by default).
 * STRIDELAB_BENCH_PYTHON names the Python that has the peers. The cost of recorders (listening.mjs) goes to a separate page.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { devices } from 'stridelab';
import { copySizes } from './measures.mjs';
import { runPeers } from './peers/run.mjs';
import { table } from './table.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const { positionals, values } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });
const label = positionals[0] ?? 'sim:0';
const device = devices().find(candidate => candidate.label === label);
if (device === undefined)
  throw new Error(`unknown device ${label}: expected one of ${devices().map(String).join(', ')}`);

/** @type {string[]} */
const notes = [];

/** @param {string} [group] */
function ours(group) {
  const args = [join(here, 'ours.mjs'), label, ...(group === undefined ? [] : [group])];
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: 120_000
  });
  if (status === 0) return JSON.parse(stdout);
  notes.push(`${group ?? 'ours'}: ${error?.message ?? stderr.trim().split('\n').slice(0, 8).join(' ')}`);
  return undefined;
}

const groups = /** @type {string[]} */ (ours() ?? []);
const figures = { stridelab: Object.assign({}, ...groups.map(group => ours(group))) };
const peers = runPeers(device.simulated, copySizes(device.simulated));
const date = new Date().toISOString().slice(0, 10);
const driver = device.native.driverVersion;
const versions = Object.entries(peers.versions).map(([name, version]) => `${name} ${version}`);
const page = `# Benchmark of ${date}: ${device.name}

* Device ${device}, compute capability ${device.computeCapability.join('.')}, driver API ${Math.floor(driver / 1000)}.${(driver % 1000) / 10}
* Host: ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${process.platform} ${release()}
* Node ${process.version}; ${versions.join(', ') || 'no peers'}
* Times are medians of 15 batches of 2,000 calls after 20 warm-up batches (peers, which compile nothing: 1,000 calls; Numba's slow calls: fewer); rates are medians of at least 7 copies
* In brackets: how many times better Stridelab is. Compare only within this run: host times differ by up to a factor of two between machines

${table({ ...figures, ...peers.figures }, device.simulated)}
${[...notes, ...peers.notes].map(note => `\nNot measured: ${note}\n`).join('')}`;
const folder = values.out ?? join(here, 'results');
mkdirSync(folder, { recursive: true });
const file = join(folder, `${date}-${device.name.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/-$/, '')}.md`);
writeFileSync(file, page);
console.log(page);
console.log(file);
const listening = spawnSync(process.execPath, [join(here, 'listening.mjs'), label, '--out', folder], {
  stdio: 'inherit'
});
process.exitCode = notes.length === 0 && listening.status === 0 ? 0 : 1;
