/** The classic notebook: cells and controls work, live pictures are refused with a sentence beside the static ones. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { startLabServer } from '../../scripts/lab/server.mjs';
import { launchBrowser } from '../notebooks/launch-browser.ts';
import { writeNotebook } from '../notebooks/notebook-files.ts';
import { saveScreenshot } from '../notebooks/screenshot.ts';
import { root } from '../setup/repository.ts';
import { describeFrontend } from './environment.ts';

const FOLDER = 'frontend-nbclassic';
const REASON = 'This picture is not live';
const CELLS = [
  'import { arange, inspect } from "stridelab";\nconst weights = arange(12, { dtype: "float32" }).reshape(3, 4);\nweights',
  'inspect(weights);',
  'import { IntSlider } from "stridelab/widgets";\nconst slider = new IntSlider({ value: 3 });\nslider.observe("value", ({ new: value }) => console.log(`moved to ${value}`));\nslider',
  'console.log("looping");\nwhile (true) {}'
];

/** The part of the page's `Jupyter` that the tests use; each promise is of jQuery. */
interface Classic {
  readonly notebook: {
    execute_cells(indices: readonly number[]): void;
    save_notebook(): PromiseLike<unknown>;
  };
}

await describeFrontend('nbclassic', 'the classic notebook', environment => {
  let server: Awaited<ReturnType<typeof startLabServer>>;
  let browser: Browser;
  beforeAll(async () => {
    rmSync(join(root, 'build', FOLDER), { recursive: true, force: true });
    for (const name of ['with-widgets', 'without-widgets']) writeNotebook(FOLDER, `${name}.ipynb`, CELLS);
    const folder = join(root, 'build', FOLDER);
    [server, browser] = await Promise.all([
      startLabServer({ folder, environment, application: 'nbclassic' }),
      launchBrowser()
    ]);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  }, 30_000);

  const idle = (page: Page): Promise<void> =>
    page.locator('#kernel_indicator_icon.kernel_idle_icon').waitFor({ timeout: 60_000 });
  const outputs = (page: Page, cell: number): Locator =>
    page.locator('.code_cell').nth(cell).locator('.output_subarea');

  async function open(
    name: string,
    prepare: (page: Page) => Promise<unknown> = async () => {}
  ): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1000, height: 1200 } });
    await prepare(page);
    await page.goto(`${server.url}/notebooks/${name}.ipynb?token=${server.token}`);
    await idle(page);
    return page;
  }
  const execute = (page: Page, ...cells: readonly number[]): Promise<void> =>
    page.evaluate(indices => {
      (window as unknown as { Jupyter: Classic }).Jupyter.notebook.execute_cells(indices);
    }, cells);

  /** The static picture, with the reason why it is not live. */
  async function isRefused(page: Page): Promise<void> {
    const live = outputs(page, 1);
    await live.getByText(REASON).waitFor({ timeout: 60_000 });
    expect(await live.getByText(REASON).count()).toBe(1);
    const text = await live.textContent();
    expect(text).toContain('open the notebook in JupyterLab 4 or Notebook 7.');
    expect(text).toContain('float32 (3, 4) on sim:0');
    expect(await live.locator('table').first().isVisible()).toBe(true);
    expect(await page.getByText('javascript error').count()).toBe(0);
  }

  test('with its widget manager: cells, static pictures and controls work, a live picture is refused', async () => {
    const page = await open('with-widgets');
    await execute(page, 0, 1, 2);
    await isRefused(page);
    expect(await outputs(page, 0).textContent()).toContain('float32 (3, 4) on sim:0');
    expect(await outputs(page, 0).getByText(REASON).count()).toBe(0);
    const handle = outputs(page, 2).getByRole('slider');
    await handle.waitFor({ timeout: 30_000 });
    await handle.focus();
    await page.keyboard.press('ArrowRight');
    await outputs(page, 2).getByText('moved to 4').waitFor({ timeout: 30_000 });
    await saveScreenshot(page, 'nbclassic');
  }, 120_000);

  test('without its widget manager: a live picture is refused, also in a saved notebook that loads before the kernel’s script', async () => {
    const page = await open('without-widgets', page =>
      page.route('**/jupyter-js-widgets/extension.js*', route => route.abort())
    );
    await execute(page, 0, 1);
    await isRefused(page);
    await page.evaluate(async () => {
      await (window as unknown as { Jupyter: Classic }).Jupyter.notebook.save_notebook();
    });
    let load!: () => void;
    const drawn = new Promise<void>(resolve => (load = resolve));
    await page.route('**/kernelspecs/stridelab/kernel.js*', async route => {
      await drawn;
      await route.continue();
    });
    // The load event may wait for the kernel's script.
    await page.reload({ waitUntil: 'domcontentloaded' });
    await outputs(page, 1).locator('table').first().waitFor({ timeout: 60_000 });
    expect(await page.getByText(REASON).count()).toBe(0);
    load();
    await isRefused(page);
  }, 120_000);

  test('the stop button stops a busy cell, and the variables stay', async () => {
    const page = await open('with-widgets');
    await execute(page, 3);
    // The kernel's icon is no sign of the cell: requests of the page make it busy and idle too.
    await outputs(page, 3).getByText('looping').waitFor({ timeout: 30_000 });
    await page.locator('button[data-jupyter-action="jupyter-notebook:interrupt-kernel"]').click();
    await outputs(page, 3).getByText('Interrupted').waitFor({ timeout: 60_000 });
    await execute(page, 1);
    await isRefused(page);
  }, 120_000);
});
