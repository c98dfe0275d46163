/**
 * Frame times and sizes of the pictures: `npm run bench:pictures [-- NAME…] [--out FILE]`. Each module in PICTURES exports
 * `measure(lab)`, which opens notebooks in JupyterLab in a headless Chromium and returns rows of the table. Prints the table and writes
 * it to bench/results/pictures.md; with names only to FILE.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LabSession } from '../../test/notebooks/lab-session.ts';
import { frameTimes } from './frames.mjs';
import { table } from './table.mjs';

/** Modules of this folder. */
const PICTURES = ['completion', 'inspector', 'sidebar', 'timeline', 'weight'];

/** Longer than the kernel's allowance between the end of a run and its save, in ms. */
const SHOWN_MS = 400;

const here = fileURLToPath(new URL('.', import.meta.url));
const { positionals, values } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });
const names = positionals.length > 0 ? positionals : PICTURES;
for (const name of names)
  if (!PICTURES.includes(name))
    throw new Error(`unknown picture "${name}": expected one of ${PICTURES.join(', ')}`);

let browser = '';
/** The tools for the modules. */
const lab = {
  /** Starts a session, which the module must dispose. @param {string} name @param {readonly string[]} cells @param {{ run?: boolean }} [options] */
  async open(name, cells, options) {
    const session = await LabSession.start(`bench-${name}`, cells, options);
    browser = session.browser.version();
    return session;
  },
  /** Saves the notebook, and loads the page again. @param {LabSession} session */
  async reload({ lab: opened }) {
    const { page } = opened;
    // The new page would request the output of a run that ended just before the save.
    await page.waitForTimeout(SHOWN_MS);
    await opened.command('docmanager:save');
    await page.reload();
    await page.waitForFunction(() => 'jupyterapp' in window);
    await page.locator('.jp-Notebook').waitFor();
    await opened.kernelIs('idle');
    await page.waitForLoadState('networkidle');
  },
  frameTimes
};
/** @typedef {typeof lab} Lab */

const before = loadavg()[0] ?? 0;
/** @type {import('./table.mjs').Row[]} */
const rows = [];
for (const name of names) {
  console.error(`${name} …`);
  const { measure } = await import(`./${name}.mjs`);
  rows.push(...(await measure(lab)));
}
const page = `# The pictures in a browser, ${new Date().toISOString().slice(0, 10)}

* ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}, no graphics card; load before ${before.toFixed(1)}, after ${(loadavg()[0] ?? 0).toFixed(1)}
* Node ${process.version}, Chromium ${browser} without a window, 1280 x 1000 pixels
* A frame's time is from one animation frame to the next, while real wheel and key events are sent; a 60 Hz screen shows a frame every 16.7 ms

${table(rows)}
`;
console.log(page);
const file =
  values.out ?? (positionals.length === 0 ? join(here, '..', 'results', 'pictures.md') : undefined);
if (file !== undefined) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, page);
  console.log(file);
}
