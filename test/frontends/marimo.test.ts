/** marimo, whose notebooks are Python: saved pictures of TypeScript notebooks, and arrays that TypeScript shares. */

import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { ensureExtension } from '../../scripts/setup/extension.mjs';
import { pythonOf } from '../../scripts/setup/paths.mjs';
import { arange, type NDArray } from '../../src/index.ts';
import { share, type Lease } from '../../src/sharing/index.ts';
import { executePictures } from '../notebooks/executed-pictures.ts';
import { launchBrowser } from '../notebooks/launch-browser.ts';
import { saveScreenshot } from '../notebooks/screenshot.ts';
import { root, run } from '../setup/repository.ts';
import { describeFrontend } from './environment.ts';
import { serve, type Served } from './served.ts';

const FOLDER = 'frontend-marimo';
/** marimo's own files, which an exported page loads from the network. */
const FILES = /^https:\/\/cdn\.jsdelivr\.net\/npm\/@marimo-team\/frontend@[^/]+\/dist\/([^?]+)/;

await describeFrontend('marimo', 'marimo', environment => {
  const folder = join(root, 'build', FOLDER);
  const python = pythonOf(environment);
  const app = join(folder, 'app.py');
  let env: NodeJS.ProcessEnv;
  let given: readonly string[];
  let array: NDArray;
  let lease: Lease;
  let browser: Browser;

  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await ensureExtension();
    const notebook = await executePictures(FOLDER, 'executed.ipynb');
    // marimo writes a folder beside it.
    copyFileSync(join(root, 'test', 'frontends', 'marimo_app.py'), app);
    array = arange(12, { dtype: 'float32', device: 'sim:0' }).reshape(3, 4);
    lease = await share(array);
    const module = join(root, 'dist', 'afm', 'stridelab.js');
    given = ['--', '--token', String(lease), '--module', module, '--notebook', notebook];
    // marimo writes settings and logs to the home folder.
    env = { PYTHONPATH: join(root, 'python'), HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
    browser = await launchBrowser();
  }, 120_000);
  afterAll(async () => {
    lease?.[Symbol.dispose]();
    await browser?.close();
  }, 30_000);

  async function showsPictures(page: Page): Promise<void> {
    await page.locator('marimo-anywidget .stridelab-array').waitFor({ timeout: 60_000 });
    for (const picture of ['device-card', 'stream-pill'])
      expect(await page.locator(`.stridelab-${picture} .stridelab-lifetime`).textContent()).toContain(
        'snapshot'
      );
    expect(await page.locator('.saved').textContent()).toContain('float32 (3, 4) on sim:0');
  }

  test('an app draws saved pictures, and computes with the memory of a shared array', async () => {
    const page = await browser.newPage();
    const server: Served = await serve(
      python,
      port => ['-m', 'marimo', 'run', app, '--headless', '--no-token', '--port', String(port), ...given],
      { cwd: folder, env }
    );
    try {
      await page.goto(server.url);
      await page.getByText('The sum is 66.').waitFor({ timeout: 60_000 });
      await showsPictures(page);
      expect(array.toNested()).toEqual([
        [100, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 10, 11]
      ]);
      await saveScreenshot(page, 'marimo');
    } finally {
      await server.stop();
    }
  }, 120_000);

  test('an exported page draws saved pictures without Python', async () => {
    array.fill(1);
    const target = join(folder, 'page.html');
    const { status, output } = await run(
      python,
      ['-m', 'marimo', 'export', 'html', app, '-o', target, ...given],
      env
    );
    expect({ status, output }).toMatchObject({ status: 0 });
    const library = join(environment, 'lib', readdirSync(join(environment, 'lib'))[0]!);
    const page = await browser.newPage();
    await page.route(/^https:/, route => {
      const name = FILES.exec(route.request().url())?.[1];
      const path = join(library, 'site-packages', 'marimo', '_static', name ?? 'missing');
      return existsSync(path)
        ? route.fulfill({ path, headers: { 'access-control-allow-origin': '*' } })
        : route.abort();
    });
    await page.goto(pathToFileURL(target).href);
    await page.getByText('The sum is 12.').waitFor({ timeout: 60_000 });
    await showsPictures(page);
  }, 120_000);
});
