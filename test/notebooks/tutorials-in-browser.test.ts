/** The tutorials run twice with Run All, in JupyterLab in a browser, from a folder outside the checkout. */

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { startLabServer } from '../../scripts/lab/server.mjs';
import { root } from '../setup/repository.ts';
import { libraries } from '../src/python/environment.ts';
import { LabPage } from './lab-page.ts';
import { launchBrowser } from './launch-browser.ts';
import { codeCells, readNotebook, withoutOutputs, type CodeCell } from './notebook-files.ts';
import { saveScreenshot } from './screenshot.ts';

const notebooks = readdirSync(join(root, 'notebooks')).filter(name => name.endsWith('.ipynb'));
// To run, the exchange needs a Python that can run in the same process, and NumPy.
const tutorials = notebooks.filter(name => !name.startsWith('02-') || libraries.has('numpy'));

/** The name and message of each error that the cell's tags do not announce. */
function unexpectedErrors(cells: readonly CodeCell[]): unknown[] {
  return cells
    .filter(({ metadata }) => metadata?.tags?.includes('raises-exception') !== true)
    .flatMap(({ outputs }) => outputs.filter(({ output_type }) => output_type === 'error'));
}

describe('the tutorials in JupyterLab', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof startLabServer>>;
  let browser: Browser;
  let lab: LabPage;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stridelab-tutorials-'));
    mkdirSync(join(folder, 'copied'));
    for (const name of notebooks) {
      const notebook = withoutOutputs(readNotebook(join(root, 'notebooks', name)));
      writeFileSync(join(folder, 'copied', name), JSON.stringify(notebook));
    }
    server = await startLabServer({ folder, more: ['--LabApp.expose_app_in_browser=True'] });
    browser = await launchBrowser();
    lab = await LabPage.open(browser, server, `copied/${tutorials[0]}`);
    await lab.hideSidebar();
  }, 180_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 30_000);

  test('a link to the documentation opens its page rendered, with the pages that it links to', async () => {
    await lab.show('copied/10-kernel.ipynb');
    const follow = (inside: string, name: string) =>
      lab.page.locator(`${inside} a:visible`, { hasText: name }).first().click();
    await follow('.jp-Notebook', 'The kernel');
    const page = lab.page.locator('.stridelab-documentation:visible');
    await page.getByRole('heading', { name: 'The kernel', level: 1 }).waitFor();
    await follow('.stridelab-documentation', 'Questions, history, shells');
    await page.getByRole('heading', { name: 'Questions, history, shells', level: 1 }).waitFor();
    expect(lab.complaints).toEqual([]);
  }, 60_000);

  test('an anchor leads to its heading', async () => {
    await lab.show('copied/02-exchange.ipynb');
    await lab.page.locator('.jp-Notebook:visible a', { hasText: 'python.start' }).first().click();
    const heading = lab.page.locator('.stridelab-documentation:visible h2', { hasText: /^Starting/ });
    await heading.waitFor();
    await lab.page.waitForFunction(
      element => element !== null && Math.abs(element.getBoundingClientRect().top) < 300,
      await heading.elementHandle()
    );
    await saveScreenshot(lab.page, 'documentation');
  }, 60_000);

  /** The command stops at every error, including intended ones, while the following cells still run. */
  async function runAll(): Promise<CodeCell[]> {
    await lab.command('notebook:run-all-cells');
    for (;;) {
      const cells = codeCells(await lab.contents());
      const waiting = cells.some(({ execution_count }) => execution_count === null);
      if (!waiting || unexpectedErrors(cells).length > 0) return cells;
      await lab.kernelIs('idle');
    }
  }

  test.each(tutorials)(
    '%s runs to its end twice',
    async name => {
      await lab.show(`copied/${name}`);
      for (let round = 0; round < 2; round++) {
        const cells = await runAll();
        expect(unexpectedErrors(cells)).toEqual([]);
        const counts = cells.map((_, i) => round * cells.length + i + 1);
        expect(cells.map(({ execution_count }) => execution_count)).toEqual(counts);
      }
      expect(lab.complaints).toEqual([]);
      // Nine kernels with their compilers would need too much memory.
      await lab.command('kernelmenu:shutdown');
    },
    120_000
  );
});
