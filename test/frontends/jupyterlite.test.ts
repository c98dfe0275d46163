/** A site that JupyterLite builds with the extension of its environment: saved pictures, without the kernel. */

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { capture } from '../../scripts/setup/child.mjs';
import { pythonOf } from '../../scripts/setup/paths.mjs';
import { executePictures } from '../notebooks/executed-pictures.ts';
import { launchBrowser } from '../notebooks/launch-browser.ts';
import { saveScreenshot } from '../notebooks/screenshot.ts';
import { root } from '../setup/repository.ts';
import { describeFrontend } from './environment.ts';
import { serve, type Served } from './served.ts';

const FOLDER = 'frontend-jupyterlite';
const PICTURES = ['inspector', 'device-card', 'stream-pill'];

await describeFrontend('jupyterlite', 'JupyterLite', environment => {
  const folder = join(root, 'build', FOLDER);
  const python = pythonOf(environment);
  let server: Served;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  const foreign: string[] = [];

  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'contents'), { recursive: true });
    await executePictures(FOLDER, 'contents/saved.ipynb');
    const site = join(folder, 'site');
    const places = ['--lite-dir', folder, '--contents', join(folder, 'contents'), '--output-dir', site];
    // It writes a database into the current folder.
    const build = ['-m', 'jupyterlite_core', 'build', ...places];
    const { status, output } = await capture(python, build, { cwd: folder });
    expect({ status, output }).toMatchObject({ status: 0 });
    [server, browser] = await Promise.all([
      serve(python, port => ['-m', 'http.server', String(port), '--bind', '127.0.0.1', '-d', site], {
        cwd: folder
      }),
      launchBrowser()
    ]);
    page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    page.on('pageerror', error => complaints.push(error.stack ?? String(error)));
    page.on('console', message => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('request', request => {
      if (/^https?:/.test(request.url()) && !request.url().startsWith(server.url))
        foreign.push(request.url());
    });
    await page.goto(`${server.url}/lab/index.html?path=saved.ipynb`);
    await page.locator('.jp-Notebook').waitFor({ timeout: 60_000 });
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  }, 30_000);

  test('reports that there is no kernel, in its dialog and in the Arrays panel', async () => {
    const dialog = page.locator('.jp-Dialog', { hasText: 'Select Kernel' });
    await dialog.waitFor({ timeout: 60_000 });
    expect(await dialog.locator('select option').allTextContents()).not.toContain('TypeScript (Stridelab)');
    await dialog.getByRole('button', { name: 'No Kernel' }).click();
    await page.locator('.jp-Toolbar-kernelName', { hasText: 'No Kernel' }).waitFor({ timeout: 30_000 });
    await page.locator('[data-id="stridelab-arrays"]').click();
    await page
      .locator('#stridelab-arrays')
      .getByText('This notebook has no kernel.')
      .waitFor({ timeout: 30_000 });
  }, 120_000);

  test('draws saved pictures, and live ones as snapshots', async () => {
    await page.locator('.stridelab-array').waitFor({ timeout: 60_000 });
    for (const picture of PICTURES) {
      const state = page.locator(`.stridelab-${picture} .stridelab-lifetime`);
      await state.waitFor({ timeout: 60_000 });
      expect(await state.textContent()).toContain('snapshot');
      expect(await state.getAttribute('title')).toBe(
        'The state when this picture was made; it is not updated.'
      );
    }
    await saveScreenshot(page, 'jupyterlite');
  }, 120_000);

  test('the page had no errors, and loaded nothing from elsewhere', () => {
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
  });
});
