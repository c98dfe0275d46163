/** The tutorials by Run All, twice in a row, in JupyterLab in a browser, from a folder outside the checkout. */

import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { startLabServer } from '../../scripts/lab/server.mjs';
import { root } from '../setup/repository.ts';
import { LabPage } from './lab-page.ts';
import { launchBrowser } from './launch-browser.ts';
import { codeCells, readNotebook, withoutOutputs, type CodeCell } from './notebook-files.ts';

const tutorials = readdirSync(join(root, 'notebooks')).filter(name => name.endsWith('.ipynb'));

/** The name and the message of each error that no cell announced by its tag. */
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
    for (const name of tutorials) {
      const notebook = withoutOutputs(readNotebook(join(root, 'notebooks', name)));
      writeFileSync(join(folder, 'copied', name), JSON.stringify(notebook));
    }
    mkdirSync(join(folder, 'docs'));
    copyFileSync(join(root, 'docs', 'kernel.md'), join(folder, 'docs', 'kernel.md'));
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

  test('a link to a page of the documentation opens it rendered', async () => {
    await lab.show('copied/10-kernel.ipynb');
    await lab.page.locator('.jp-RenderedMarkdown a', { hasText: 'The kernel beside its peers' }).click();
    const page = lab.page.locator('.jp-MarkdownViewer:visible');
    await page.getByRole('heading', { name: 'The kernel', exact: true }).waitFor();
  }, 60_000);

  /** The command ends at an error, also at one that is meant, while the cells after it still run. */
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
      // Nine kernels with their compilers would need much memory.
      await lab.command('kernelmenu:shutdown');
    },
    120_000
  );
});
