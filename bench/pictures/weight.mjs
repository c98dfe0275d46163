/** Bytes of the extension's JavaScript, including style sheets, that a page loads. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Before the first picture; with each picture as first shown; and with everything that is loaded later. */
const [START_BUDGET, BUDGET, WHOLE_BUDGET] = [28_000, 150_000, 260_000];
const FOLDER = 'dist/labextension/static';

const SETUP = `import { arange, cuda, type DeviceArray, devices, exchanges, type f32, inspect, memoryLog, Stream, trace } from 'stridelab';
import { HandshakeDiagram } from 'stridelab/widgets';
const device = devices().find(({ simulated }) => simulated)!;
trace.start(), memoryLog.start(), exchanges.start();
const stream = new Stream({ device });
const a = arange(12, { dtype: 'float32', device, stream }).reshape(3, 4);`;

const PICTURES = {
  'an array': 'inspect(a)',
  'a device': 'inspect(device)',
  'a stream': 'inspect(stream)',
  'the trace': 'inspect(trace)',
  'the memory': 'inspect(memoryLog)',
  'exchanges, live or a lesson': 'new HandshakeDiagram()',
  // Its code is the same without an answer of the scheduler.
  'a cluster': `({ [Symbol.for('Jupyter.display')]: () => ({ 'application/vnd.stridelab.picture+json': {
    view: 'ClusterView', picture: { version: 1, facts: null, problem: null, closed: false } } }) })`,
  'a launch': `const twice = cuda.kernel((x: DeviceArray<f32>) => { x[cuda.grid(1)] *= 2; });
inspect(twice, { grid: 1, block: 12 }, a.reshape(12))`
};

/** @param {import('./run.mjs').Lab} lab @returns {Promise<import('./table.mjs').Row[]>} */
export async function measure(lab) {
  await using session = await lab.open('weight', [SETUP, '']);
  const { page } = session.lab;
  await session.lab.kernelIs('idle');
  /** Names of the loaded files. @type {Set<string>} */
  const files = new Set();
  page.on('response', response => {
    const name = /\/extensions\/stridelab\/static\/([^/?]+\.js)/.exec(response.url())?.[1];
    if (name !== undefined) files.add(name);
  });
  /** @param {Iterable<string>} names */
  const sizeOf = names => {
    let bytes = 0;
    for (const name of names) bytes += statSync(join(FOLDER, name)).size;
    return bytes;
  };
  let total = 0;
  /** Returns the bytes loaded since the last call. */
  const loaded = async () => {
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(500);
    const before = total;
    total = sizeOf(files);
    return total - before;
  };
  await lab.reload(session);
  await page.waitForTimeout(2000);
  /** @type {import('./table.mjs').Row[]} */
  const rows = [];
  /** @param {string} what @param {number} bytes @param {number} [budget] */
  const row = (what, bytes, budget) =>
    rows.push({ what, unit: 'bytes', samples: [bytes], ...(budget !== undefined && { budget }) });
  row('a notebook before its first picture', await loaded(), START_BUDGET);

  const view = session.lab.cell(1).locator('.stridelab-view');
  for (const [name, source] of Object.entries(PICTURES)) {
    await session.lab.run(1, source);
    await view.waitFor();
    row(`then the picture of ${name}`, await loaded());
  }
  row('a notebook with each picture once, as first shown', total, BUDGET);

  for (const source of Object.values(PICTURES)) {
    await session.lab.run(1, source);
    for (const tab of await view.getByRole('tab').all()) await tab.click();
  }
  row('then every tab', await loaded());
  await session.lab.command('stridelab:show-arrays');
  await page.locator('#stridelab-arrays').waitFor();
  row('then the Arrays panel', await loaded());
  const all = readdirSync(FOLDER).filter(name => name.endsWith('.js'));
  row('all files of the extension, tabs and panels included', sizeOf(all), WHOLE_BUDGET);
  return rows;
}
