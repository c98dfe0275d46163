/** Makes the page of results, and stores it if a folder is given. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';
import { join } from 'node:path';
import { table } from './table.mjs';

/** @typedef {import('./table.mjs').Columns} Columns */

/**
 * @param {object} run
 * @param {string} run.device its name
 * @param {Columns} run.columns ours first
 * @param {readonly string[]} run.facts how it was measured
 * @param {readonly string[]} run.notes what could not be measured
 */
export function page({ device, columns, facts, notes }) {
  const versions = Object.entries(columns).flatMap(([name, { version }]) =>
    version === undefined ? [] : [`${name} ${version}`]
  );
  const own = Object.entries(columns).flatMap(([name, figures]) =>
    (figures.notes ?? []).map(note => `${name}, ${note}`)
  );
  const lines = [
    `Host: ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${process.platform} ${release()}; load after the run ${(loadavg()[0] ?? 0).toFixed(1)}`,
    `Node ${process.version}; ${versions.join(', ') || 'no peers'}`,
    ...facts,
    'In brackets: how many times better Stridelab is. Compare only within this run'
  ];
  return `# Kernels, ${today()}: ${device}

${lines.map(line => `* ${line}`).join('\n')}

${table(columns)}
${[...notes, ...own].map(note => `\nNot measured: ${note.replaceAll(/\s+/g, ' ')}\n`).join('')}`;
}

const today = () => new Date().toISOString().slice(0, 10);

/** @param {string} folder @param {string} machine @param {string} text @returns {string} the file */
export function store(folder, machine, text) {
  mkdirSync(folder, { recursive: true });
  const file = join(
    folder,
    `${today()}-kernels-${machine.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/-$/, '')}.md`
  );
  writeFileSync(file, text);
  return file;
}
