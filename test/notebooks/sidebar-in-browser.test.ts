/** The Arrays panel, the Running panel, commands and settings in JupyterLab, and the same extension in Notebook 7. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { root } from '../setup/repository.ts';
import { seriousFindings } from './accessibility.ts';
import { LabPage } from './lab-page.ts';
import { lab, session, withSession } from './lab-session.ts';
import { allowClipboard } from './launch-browser.ts';
import { writeNotebook } from './notebook-files.ts';
import { until } from '../setup/until.ts';

const NAME = 'sidebar';
const CELL = `import { zeros, Stream } from 'stridelab';
const weights = zeros([1024, 1024], { dtype: 'float32' });
const top = weights.slice(':256');
const diagonal = weights.slice('::8', '::8').asReadOnly();
const bias = zeros([4096], { dtype: 'float16' });
const layers = Array.from({ length: 3 }, (_, i) => zeros([256 << i, 64]));
const cache = new Map([['tokens', zeros([512, 16], { dtype: 'int32' })]]);
const compute = new Stream();
const activations = zeros([128, 768], { stream: compute });`;
const ALL = [
  'activations',
  'bias',
  'cache.get("tokens")',
  'layers[0]',
  'layers[1]',
  'layers[2]',
  '*weights',
  'diagonal',
  'top',
  'weights'
];
const PYTHON = {
  cells: [],
  metadata: { kernelspec: { name: 'python3', display_name: 'Python 3 (ipykernel)', language: 'python' } },
  nbformat: 4,
  nbformat_minor: 5
};

let panel: Locator;

const rows = (): Locator => panel.locator('.stridelab-array-row');
const row = (name: string): Locator =>
  panel.locator('.stridelab-array-row[data-kind="array"]').filter({
    has: lab.page.locator('.stridelab-array-name', {
      hasText: new RegExp(`^${name.replace(/[[\]().]/g, '\\$&')}$`)
    })
  });
const grid = (): Locator => panel.getByRole('treegrid');
const absence = (): Locator => panel.locator('.stridelab-absence');
const title = (): Locator => panel.locator('header b').first();

/** Names in display order; headings are marked with a star. */
async function names(): Promise<string[]> {
  const seen = await rows().evaluateAll(elements =>
    elements.map(element => ({
      index: Number(element.getAttribute('data-index')),
      name: `${element.getAttribute('data-kind') === 'group' ? '*' : ''}${element.querySelector('.stridelab-array-name')?.textContent ?? ''}`
    }))
  );
  return seen.sort((a, b) => a.index - b.index).map(({ name }) => name);
}

/** Waits until the list, or the part that `part` selects, shows these names. */
async function listed(
  wanted: readonly string[],
  part: (all: readonly string[]) => readonly string[] = all => all
): Promise<void> {
  // After a timeout the assertion reports the actual names.
  await until(async () => part(await names()).join() === wanted.join(), 20).catch(() => undefined);
  expect(part(await names())).toEqual(wanted);
}

/** Saves settings like the settings editor. */
function saveSettings(settings: object): Promise<void> {
  return lab.page.evaluate(async raw => {
    const { jupyterapp } = window as unknown as {
      jupyterapp: { serviceManager: { settings: { save(id: string, raw: string): Promise<void> } } };
    };
    await jupyterapp.serviceManager.settings.save('stridelab:settings', raw);
  }, JSON.stringify(settings));
}

const open = (path: string): Promise<void> => lab.command('docmanager:open', { path });

withSession(NAME, [CELL, '']);
beforeAll(async () => {
  writeNotebook(NAME, 'second.ipynb', ["import { zeros } from 'stridelab';\nconst other = zeros([7]);"]);
  writeFileSync(join(root, 'build', NAME, 'python.ipynb'), JSON.stringify(PYTHON));
  lab.page.setDefaultTimeout(10_000);
  panel = lab.page.locator('#stridelab-arrays');
  await lab.page.locator('#jupyterlab-splash').waitFor({ state: 'detached', timeout: 30_000 });
  await lab.command('stridelab:show-arrays');
  await row('weights').waitFor({ timeout: 20_000 });
}, 180_000);

test('lists variables and their contents, with views under the memory that they share', async () => {
  await listed(ALL);
  // No picture has been shown on this page yet: the panel loads the styles that it needs.
  const accent = await panel.evaluate(node => getComputedStyle(node).getPropertyValue('--sd-accent'));
  expect(accent).not.toBe('');
  await session.screenshots(panel, 'sidebar');
  expect(await seriousFindings(panel)).toEqual([]);
}, 60_000);

test('has columns if there is room', async () => {
  const edge = await panel.boundingBox();
  const { mouse } = lab.page;
  await mouse.move(edge!.x + edge!.width + 3, 500);
  await mouse.down();
  await mouse.move(620, 500, { steps: 4 });
  await mouse.up();
  await panel.locator('[data-layout="wide"]').waitFor();
  await session.screenshots(panel, 'sidebar-wide');
}, 60_000);

test('filters, groups and sorts', async () => {
  const filter = panel.getByRole('searchbox');
  await filter.fill('float32 read-only');
  await listed(['diagonal']);
  await filter.fill('no such thing');
  await absence().waitFor();
  expect(await absence().textContent()).toContain('No array matches');
  await absence().getByRole('button').click();
  await listed(ALL);
  await panel.getByRole('combobox').selectOption('dtype');
  await listed(['*float16', '*float32', '*float64', '*int32'], all =>
    all.filter(name => name.startsWith('*'))
  );
  await panel.getByRole('combobox').selectOption('none');
  await panel.getByRole('button', { name: 'Size' }).click();
  await listed(['weights', 'top', 'activations'], all => all.slice(0, 3));
  expect(await panel.locator('[aria-sort="descending"]').textContent()).toContain('Size');
  await panel.getByRole('button', { name: 'Name' }).click();
  await panel.getByRole('combobox').selectOption('storage');
  await listed(ALL);
}, 60_000);

test('can be used with the keyboard: rows, groups, the clipboard', async () => {
  const { keyboard } = lab.page;
  await allowClipboard(lab.page.context());
  await panel.getByRole('searchbox').focus();
  await keyboard.press('ArrowDown');
  await keyboard.press('End');
  expect(await rows().and(lab.page.locator('[aria-selected="true"]')).textContent()).toContain('weights');
  const active = await grid().getAttribute('aria-activedescendant');
  expect(await lab.page.locator(`#${active}`).getAttribute('aria-selected')).toBe('true');
  await keyboard.press('ArrowLeft');
  await keyboard.press('ArrowLeft');
  await listed(ALL.slice(0, 7));
  await keyboard.press('ArrowRight');
  await listed(ALL);
  await keyboard.press('Home');
  await keyboard.press('ArrowDown');
  await keyboard.press('Control+c');
  await panel.locator('.stridelab-status', { hasText: 'Copied bias' }).waitFor();
  expect(await lab.page.evaluate(() => navigator.clipboard.readText())).toBe('bias');
}, 60_000);

test('inspects in a tab, which follows the array', async () => {
  await row('weights').click();
  const { keyboard } = lab.page;
  // Held down, and pressed again before the tab appears: this requests only one picture.
  for (let turn = 0; turn < 4; turn += 1) await keyboard.down('Enter');
  await keyboard.up('Enter');
  await keyboard.press('Enter');
  const inspector = lab.page.locator('.stridelab-inspector-tab .stridelab-inspector');
  await inspector.waitFor({ timeout: 30_000 });
  expect(await inspector.textContent()).toContain('(1024, 1024)');
  expect(await lab.page.locator('.stridelab-inspector-tab').count()).toBe(1);
  await session.screenshots(lab.page.locator('#main'), 'sidebar-inspector');
  // Another request for the same array shows the same tab.
  await row('weights').dblclick();
  expect(await lab.page.locator('.stridelab-inspector-tab').count()).toBe(1);
}, 60_000);

test('devices and streams are shown and waited for, with keys and with menus', async () => {
  const { keyboard } = lab.page;
  const status = panel.locator(':scope > .stridelab-status');
  const device = panel.locator('.stridelab-device-row').first();
  await device.getByRole('button', { name: 'Synchronize' }).focus();
  await keyboard.press('Enter');
  await status.filter({ hasText: /All work of sim:0 is done, after .*s\./ }).waitFor();
  await keyboard.press('Shift+Tab');
  await keyboard.press('Enter');
  await lab.page.locator('.stridelab-inspector-tab .stridelab-device-card').waitFor({ timeout: 30_000 });
  await device.click({ button: 'right', position: { x: 5, y: 30 } });
  await lab.page.getByRole('menuitem', { name: 'Synchronize Device' }).waitFor();
  await keyboard.press('Escape');

  await panel.getByRole('combobox').selectOption('stream');
  const heading = panel.locator('[data-grouping="stream"]').filter({ hasText: 'stream #' });
  await heading.click();
  await heading.click();
  await keyboard.press('Shift+F10');
  await lab.page.getByRole('menuitem', { name: 'Synchronize Stream' }).click();
  await status.filter({ hasText: /All work of stream #.* is done/ }).waitFor();
  await grid().focus();
  await keyboard.press('Enter');
  await lab.page.locator('.stridelab-inspector-tab .stridelab-stream-pill').waitFor({ timeout: 30_000 });
  await session.screenshots(panel, 'sidebar-streams');
  expect(await seriousFindings(panel)).toEqual([]);
  await panel.getByRole('combobox').selectOption('storage');
}, 60_000);

test('frees after a question that names what will be freed and what keeps the memory', async () => {
  const dialog = lab.page.getByRole('dialog');
  await row('top').click();
  await lab.page.keyboard.press('Delete');
  await dialog.waitFor();
  expect(await dialog.textContent()).toContain('Free top?');
  expect(await dialog.textContent()).toContain('Memory stays in use by other arrays: diagonal, weights');
  await lab.page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await row('top').getAttribute('data-state')).toBe('idle');

  await row('bias').click({ button: 'right' });
  await lab.page.getByRole('menuitem', { name: 'Free Array…' }).click();
  await dialog.waitFor();
  expect(await dialog.textContent()).toContain('This frees 8 KiB of memory');
  await lab.accept();
  // The change and the response arrive separately.
  await panel.locator('[data-state="freed"]').waitFor();
  expect(await row('bias').textContent()).toContain('freed');
  await panel.locator(':scope > .stridelab-status', { hasText: '8 KiB of memory' }).waitFor();
}, 60_000);

test('inserts a cell that inspects', async () => {
  await lab.page.locator('.jp-NotebookPanel .jp-Cell').first().click();
  await row('activations').click();
  await lab.command('stridelab:insert-inspect');
  const inserted = lab.page.locator('.jp-NotebookPanel .cm-content', { hasText: 'inspect(activations);' });
  await inserted.waitFor();
}, 60_000);

test('follows the current notebook, with any kernel', async () => {
  await open('second.ipynb');
  await lab.kernelIs('idle');
  await absence().filter({ hasText: 'No variable holds an array yet' }).waitFor({ timeout: 30_000 });
  expect(await title().textContent()).toBe('second.ipynb');
  await session.screenshots(panel, 'sidebar-empty');
  expect(await seriousFindings(panel)).toEqual([]);
  await absence().getByRole('button', { name: 'Insert cell' }).click();
  await lab.command('notebook:run-cell');
  await listed(['x']);
  await lab.command('kernelmenu:shutdown');
  await absence().filter({ hasText: 'This notebook has no kernel' }).waitFor();
  await absence().getByRole('button', { name: 'Change kernel…' }).click();
  await lab.accept();
  await absence().filter({ hasText: 'No variable holds an array yet' }).waitFor({ timeout: 30_000 });
  await lab.command('notebook:run-cell');
  await listed(['x']);

  await open('python.ipynb');
  await absence().filter({ hasText: 'The kernel here is Python 3 (ipykernel)' }).waitFor({ timeout: 20_000 });

  await open(`${NAME}.ipynb`);
  await row('weights').waitFor();
  expect(await title().textContent()).toBe(`${NAME}.ipynb`);
}, 120_000);

test('the Running panel lists the memory of each notebook, and frees it', async () => {
  await lab.command('running:show-panel');
  const running = lab.page.locator('.jp-RunningSessions');
  await running.getByText(/8 arrays · 5\.7 MiB/).waitFor({ timeout: 30_000 });
  await running.getByText(/1 array · 8 MiB/).waitFor();
  await session.screenshots(running, 'running');
  await running.getByText(/1 array · 8 MiB/).hover();
  const item = running.locator('.jp-RunningSessions-item', { hasText: '1 array · 8 MiB' });
  await item.getByRole('button').last().click();
  await lab.page.getByRole('dialog').filter({ hasText: 'Free the arrays of second.ipynb?' }).waitFor();
  await lab.accept();
  await item.waitFor({ state: 'detached' });
}, 60_000);

test('starts again with the kernel', async () => {
  await lab.command('stridelab:show-arrays');
  await lab.page.evaluate(async () => {
    const { jupyterapp } = window as unknown as {
      jupyterapp: {
        shell: {
          currentWidget: { sessionContext: { session: { kernel: { restart(): Promise<void> } } } };
        };
      };
    };
    await jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart();
  });
  await absence().filter({ hasText: 'No variable holds an array yet' }).waitFor({ timeout: 20_000 });
  await lab.page.locator('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell').first().click();
  await lab.command('notebook:run-all-cells');
  await row('weights').waitFor({ timeout: 30_000 });
}, 120_000);

test('follows the settings', async () => {
  await saveSettings({ groupBy: 'stream', followActive: false });
  await lab.page.reload();
  await lab.page.waitForFunction(() => 'jupyterapp' in window, undefined, { timeout: 20_000 });
  await lab.page.evaluate(
    () => (window as unknown as { jupyterapp: { restored: Promise<void> } }).jupyterapp.restored
  );
  await lab.command('stridelab:show-arrays');
  await panel.locator('[data-kind="group"]', { hasText: 'stream #' }).first().waitFor({ timeout: 20_000 });
  expect(await panel.getByRole('combobox').inputValue()).toBe('stream');
  // For the test files that follow this one.
  await saveSettings({});
}, 120_000);

test('the page had no errors', () => {
  expect(lab.complaints).toEqual([]);
});

test('Notebook 7 shows the panel too', async () => {
  const notebook = await LabPage.open(session.browser, session.server, `${NAME}.ipynb`, 'notebooks');
  await notebook.command('notebook:run-all-cells');
  await notebook.command('stridelab:show-arrays');
  const side = notebook.page.locator('#stridelab-arrays');
  await side.locator('.stridelab-array-row').first().waitFor({ timeout: 20_000 });
  expect(notebook.complaints).toEqual([]);
  await notebook.page.close();
}, 120_000);
