/** A notebook of pictures that is loaded again: what shows is live where it can be and true where it cannot, and weighs little. */

import type { Locator, Response } from 'playwright-core';
import { LabSession } from './lab-session.ts';

/** Bytes of our code that a page loads for all pictures, and before the first one. */
const PAGE_BUDGET = 150_000;
const START_BUDGET = 35_000;

const CELLS = [
  "import { arange, devices, inspect, Stream, trace } from 'stridelab';\nconst device = devices().find(({ simulated }) => simulated)!;\ntrace.start();\nconst a = arange(12, { dtype: 'float32', device }).reshape(3, 4);\na",
  'inspect(a)',
  'inspect(device)',
  'inspect(new Stream({ device }))',
  'trace',
  "import { exchanges, memoryLog } from 'stridelab';\nexchanges.start();\nmemoryLog.start();\nexchanges",
  'memoryLog'
];
const LIVE_CELLS = [1, 2, 3];

let session: LabSession;
const view = (cell: number): Locator => session.lab.cell(cell).locator('.stridelab-view');

beforeAll(async () => {
  session = await LabSession.start('reopened', CELLS);
  for (const cell of LIVE_CELLS) await view(cell).waitFor({ timeout: 60_000 });
  await session.lab.command('docmanager:save');
}, 180_000);
afterAll(() => session?.[Symbol.asyncDispose](), 30_000);

/** Adds up our files that a page loads from now on. */
function weigh(): { readonly bytes: () => Promise<number> } {
  const sizes: Promise<number>[] = [];
  session.lab.page.on('response', (response: Response) => {
    if (response.url().includes('/extensions/stridelab/') && response.url().endsWith('.js'))
      sizes.push(response.body().then(body => body.length));
  });
  return { bytes: async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) };
}

async function reload(): Promise<void> {
  await session.lab.page.reload();
  await session.lab.page.waitForFunction(() => 'jupyterapp' in window, undefined, { timeout: 60_000 });
  await view(0).waitFor({ timeout: 60_000 });
}

test('a page that is loaded anew finds the models of its kernel: live pictures are live', async () => {
  const weight = weigh();
  await reload();
  for (const cell of LIVE_CELLS)
    await view(cell).locator('.stridelab-lifetime', { hasText: 'live' }).waitFor({ timeout: 30_000 });
  expect(await view(0).locator('.stridelab-lifetime').textContent()).toContain('snapshot');
  for (const [cell] of CELLS.entries()) await view(cell).waitFor({ timeout: 30_000 });
  const bytes = await weight.bytes();
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(PAGE_BUDGET);
}, 120_000);

test('a page without a notebook loads little of it', async () => {
  const page = await session.browser.newPage();
  const sizes: Promise<number>[] = [];
  page.on('response', response => {
    if (response.url().includes('/extensions/stridelab/'))
      sizes.push(response.body().then(body => body.length));
  });
  const { url, token } = session.server;
  await page.goto(`${url}/lab/workspaces/empty?reset&token=${token}`);
  await page.locator('.jp-Launcher').waitFor({ timeout: 60_000 });
  await page.waitForLoadState('networkidle');
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await page.close();
  expect(bytes).toBeGreaterThan(1_000);
  expect(bytes).toBeLessThan(START_BUDGET);
}, 120_000);

test('with a new kernel, whose models are others, the static pictures stand where the live ones were', async () => {
  await session.lab.page.evaluate(async () => {
    const { jupyterapp } = window as unknown as {
      jupyterapp: {
        shell: { currentWidget: { sessionContext: { session: { kernel: { shutdown(): Promise<void> } } } } };
      };
    };
    await jupyterapp.shell.currentWidget.sessionContext.session.kernel.shutdown();
  });
  await reload();
  await session.lab.kernelIs('idle');
  for (const cell of LIVE_CELLS) {
    await view(cell).locator('.stridelab-lifetime', { hasText: 'snapshot' }).waitFor({ timeout: 30_000 });
    expect(await view(cell).count()).toBe(1);
  }
  const text = await session.lab.page.locator('.jp-Notebook').innerText();
  expect(text).not.toMatch(/model not found|Loading widget/);
  // A picture that is run again is live again.
  await session.lab.command('notebook:run-all-cells');
  await view(1).locator('.stridelab-lifetime', { hasText: 'live' }).waitFor({ timeout: 60_000 });
  expect(await view(1).count()).toBe(1);
}, 180_000);
