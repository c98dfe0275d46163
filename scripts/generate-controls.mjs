/**
 * Writes kernel/widgets/controls/generated from the schema that Project Jupyter publishes of its widgets
 * (npm package @jupyter-widgets/schema). With `--check` it writes nothing, and fails where a file differs.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { families } from './controls/families.mjs';
import { fileOf } from './controls/source.mjs';
import { root } from './setup/paths.mjs';

const require = createRequire(import.meta.url);
/** @type {readonly import('./controls/source.mjs').Entry[]} */
const schema = require('@jupyter-widgets/schema/jupyterwidgetmodels.latest.json');
/** @type {{ version: string }} */
const { version } = require('@jupyter-widgets/schema/package.json');
const folder = join(root, 'kernel', 'widgets', 'controls', 'generated');
const check = process.argv.includes('--check');

const models = new Map(schema.map(entry => [entry.model.name, entry]));
/** @type {string[]} */
const stale = [];
mkdirSync(folder, { recursive: true });
for (const [name, family] of Object.entries(families)) {
  const path = join(folder, `${name}.ts`);
  const options = await resolveConfig(path);
  const text = await format(fileOf(name, family, models, version), { ...options, filepath: path });
  if (text === readOrEmpty(path)) continue;
  stale.push(relative(root, path));
  if (!check) writeFileSync(path, text);
}
if (stale.length > 0) console.log(`${check ? 'differs from the schema' : 'written'}: ${stale.join(', ')}`);
if (check && stale.length > 0) process.exitCode = 1;

/** @param {string} path */
function readOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return '';
    throw error;
  }
}
