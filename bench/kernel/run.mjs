/**
 * Compares the kernel with its peers in one run: `npm run bench:kernel [-- --quick] [--only NAME]… [--out FILE]`. Prints the table and
 * writes it to bench/results/kernel.md. Times are medians; peers that cannot be installed are named below the table.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measure } from './measure.mjs';
import { findPeers, stridelab } from './peers.mjs';
import { table } from './table.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    only: { type: 'string', multiple: true },
    out: { type: 'string' }
  }
});
const full = { starts: 9, cells: 200, requests: 50, lines: 100_000, rounds: 25, settle: 3_000 };
const quick = { starts: 3, cells: 50, requests: 20, lines: 100_000, rounds: 2, settle: 1_000 };
const sizes = values.quick ? quick : full;
const { peers, notes } = findPeers();
const wanted = [stridelab(), ...peers].filter(({ name }) => values.only?.includes(name) ?? true);
const log = join(root, 'build', 'bench-kernel.log');
const before = loadavg()[0] ?? 0;

/** @type {Record<string, import('./measure.mjs').Figures>} */
const figures = {};
for (const peer of wanted) {
  console.error(`${peer.name} ${peer.version} …`);
  figures[`${peer.name} ${peer.version}`] = await measure(peer, sizes, log);
}

const gaps = Object.entries(figures).flatMap(([name, parts]) =>
  ['starts', 'steady', 'language', 'stdout', 'interrupts']
    .filter(part => typeof parts[part] === 'string')
    .map(part => `${name}, ${part}: ${parts[part]}`)
);
const page = `# Kernels side by side, ${new Date().toISOString().slice(0, 10)}

* ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}; load before ${before.toFixed(1)}, after ${(loadavg()[0] ?? 0).toFixed(1)}
* Node ${process.version}; ${sizes.starts} starts, ${sizes.cells} cells of each kind, ${sizes.requests} requests, ${sizes.rounds} rounds of each of the 17 interrupt situations
* A cell's time is until its reply and the idle status were there; interrupts are timed until the reply. Every peer is measured in this run, one after the other

${table(figures)}
${[...notes, ...gaps].map(note => `\nNot measured: ${note}\n`).join('')}`;
const file = values.out ?? join(root, 'bench', 'results', 'kernel.md');
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, page);
console.log(page);
console.log(file);
process.exit(0);
