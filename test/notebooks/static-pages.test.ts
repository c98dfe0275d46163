/** nbconvert's HTML of an executed notebook, opened without network access: with saved widget state, and without. */

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { ensureExtension } from '../../scripts/setup/extension.mjs';
import { paths } from '../../scripts/setup/paths.mjs';
import { root } from '../setup/repository.ts';
import { executePictures } from './executed-pictures.ts';
import { launchBrowser } from './launch-browser.ts';
import { saveScreenshot } from './screenshot.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

const FOLDER = 'static-pages';
/** Files that replace the network: the widget manager for static pages, its loader, and our module as on a CDN. */
const CDN: Readonly<Record<string, string>> = {
  'http://cdn.test/require.js': require.resolve('requirejs/require.js'),
  'http://cdn.test/embed-amd.js': require.resolve('@jupyter-widgets/html-manager/dist/embed-amd.js'),
  'https://cdn.jsdelivr.net/npm/stridelab@%5E0.1.0/dist/index.js': join(root, 'dist', 'index.js')
};

let browser: Browser;
let withState: string;
let withoutState: string;

async function convert(notebook: string): Promise<string> {
  await run(
    paths.python,
    [
      '-m',
      'nbconvert',
      '--to',
      'html',
      '--HTMLExporter.require_js_url=http://cdn.test/require.js',
      '--HTMLExporter.widget_renderer_url=http://cdn.test/embed-amd.js',
      notebook
    ],
    { cwd: join(root, 'build', FOLDER), timeout: 60_000 }
  );
  return notebook.replace(/\.ipynb$/, '.html');
}

beforeAll(async () => {
  await ensureExtension();
  const executed = await executePictures(FOLDER, 'with-state.ipynb');
  const stripped = join(root, 'build', FOLDER, 'without-state.ipynb');
  const notebook = JSON.parse(readFileSync(executed, 'utf8')) as { metadata: { widgets?: unknown } };
  delete notebook.metadata.widgets;
  writeFileSync(stripped, JSON.stringify(notebook));
  [withState, withoutState, browser] = await Promise.all([
    convert(executed),
    convert(stripped),
    launchBrowser()
  ]);
}, 120_000);
afterAll(() => browser?.close());

/** Opens a file; rejects and records all requests outside the folder above. */
async function openOffline(file: string): Promise<{ readonly page: Page; readonly asked: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1000, height: 1200 } });
  const asked: string[] = [];
  await page.route(/^https?:/, route => {
    const url = route.request().url();
    const local = CDN[url];
    if (local === undefined) {
      asked.push(url);
      return route.abort();
    }
    return route.fulfill({ contentType: 'text/javascript', body: readFileSync(local, 'utf8') });
  });
  await page.goto(pathToFileURL(file).href);
  return { page, asked };
}

test('with saved state the widgets are drawn as snapshots, whose buttons give the reason why they are disabled', async () => {
  const { page, asked } = await openOffline(withState);
  for (const picture of ['inspector', 'device-card', 'stream-pill']) {
    const view = page.locator(`.stridelab-${picture}`);
    await view.waitFor({ timeout: 30_000 });
    expect(await view.locator('.stridelab-lifetime').textContent()).toContain('snapshot');
  }
  expect(await page.locator('.stridelab-inspector').textContent()).toContain('(3, 4)');
  await page.locator('.stridelab-stream-pill').getByRole('button', { name: 'Synchronize' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('No kernel is connected').first().waitFor({ timeout: 5_000 });
  // No request is for our module; those excluded here are nbconvert's own.
  expect(asked.filter(url => !/mathjax|mermaid|cdnjs/i.test(url))).toEqual([]);
  await saveScreenshot(page, 'static-page-with-state');
}, 60_000);

test('without saved state the tables of the same outputs are shown, and no widget is missing', async () => {
  const { page } = await openOffline(withoutState);
  const summaries = await page.locator('.jp-OutputArea-output details > summary').allTextContents();
  expect(await page.locator('.jp-OutputArea-output pre').first().textContent()).toBe(
    '[[ 0.  1.  2.  3.]\n [ 4.  5.  6.  7.]\n [ 8.  9. 10. 11.]]\nfloat32 (3, 4) on sim:0 (simulated), 48 B'
  );
  expect(summaries).toEqual([
    'Descriptor, streams, statistics',
    'Absent: descr, mask, event',
    expect.stringContaining('float32 (3, 4) on sim:0 (simulated)'),
    expect.stringContaining('Stridelab simulated device'),
    expect.stringMatching(/^stream #\d+ on sim:0 \(simulated\)/)
  ]);
  expect(await page.locator('.stridelab-view').count()).toBe(0);
  expect(await page.locator('body').textContent()).not.toMatch(/model not found|Loading widget/);
  // Numbers are right-aligned, words left-aligned, regardless of the page's style.
  const alignments = await page
    .locator('details td')
    .evaluateAll(cells => [...new Set(cells.map(cell => getComputedStyle(cell).textAlign))].sort());
  expect(alignments).toEqual(['left', 'right']);
  await saveScreenshot(page, 'static-page-without-state');
}, 30_000);
