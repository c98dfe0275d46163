import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { families } from './families.mjs';
import { fileOf } from './source.mjs';

const require = createRequire(import.meta.url);

/**
 * Generates the properties and traits of Jupyter's controls from Project Jupyter's schema (npm package
 * @jupyter-widgets/schema): one file for each family of controls.
 * @param {string} folder files of an earlier run are removed first
 */
export function generateControls(folder) {
  /** @type {readonly import('./source.mjs').Entry[]} */
  const schema = require('@jupyter-widgets/schema/jupyterwidgetmodels.latest.json');
  /** @type {{ version: string }} */
  const { version } = require('@jupyter-widgets/schema/package.json');
  const models = new Map(schema.map(entry => [entry.model.name, entry]));
  for (const file of readdirSync(folder)) if (file.endsWith('.generated.ts')) rmSync(join(folder, file));
  for (const [name, family] of Object.entries(families))
    writeFileSync(join(folder, `${name}.generated.ts`), fileOf(name, family, models, version));
}
