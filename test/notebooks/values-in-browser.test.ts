/** Results in JupyterLab: trees of objects, with mouse and keyboard and in each theme, and tables of rows. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { root } from '../setup/repository.ts';
import { seriousFindings } from './accessibility.ts';
import { session, THEMES, withSession } from './lab-session.ts';
import { saveScreenshot } from './screenshot.ts';

const CELLS = [
  `const places = ['Ulm', 'Graz', 'Brno'].map((city, id) => ({
  id, city, tags: ['old', 'river'], location: { latitude: 48.4 + id, longitude: 9.9, source: { name: 'survey', year: 1999 } } }));
const tree: any = { places, total: 3, complete: true, next: null, sizes: new Map([['large', { count: 1n }]]), text: 'one line\\nanother line',
  numbers: Array.from({ length: 1e6 }, (_, i) => i), get later() { throw new Error('called'); }, [Symbol('hidden')]: 1 };
tree.places[0].parent = tree;
tree`,
  'Array.from({ length: 1000 }, (_, id) => ({ id, even: id % 2 === 0, name: `row ${id}`, part: id / 7 }))',
  '({ small: { a: [1, 2, { b: { c: { d: { e: 1 } } } }] } })'
];

const output = (cell: number): Locator => session.lab.outputs(cell).first();
/** The fold with this text in its line. */
const fold = (text: string): Locator =>
  output(0)
    .locator('details')
    .filter({ has: session.lab.page.locator(`> summary:has-text("${text}")`) });

withSession('values', CELLS);
beforeAll(() => output(2).getByText('small').waitFor({ timeout: 60_000 }), 90_000);

const isOpen = (of: Locator): Promise<boolean> => of.evaluate(node => (node as HTMLDetailsElement).open);

test('an object is a tree whose first levels are open, and no accessor is called', async () => {
  const text = await output(0).innerText();
  expect(text).toContain('places: Array(3)');
  expect(text).toContain("city: 'Ulm'");
  expect(text).toContain('later: [Getter]');
  expect(text).toContain('Symbol(hidden): 1');
  expect(text).not.toContain('year: 1999');
}, 30_000);

test('a fold opens and closes by mouse and by keyboard, which leaves the notebook in command mode', async () => {
  const { page } = session.lab;
  const location = fold("city: 'Graz'");
  const summary = location.locator('> summary');
  await summary.click();
  expect(await isOpen(location)).toBe(true);
  await summary.click();
  expect(await isOpen(location)).toBe(false);
  for (const key of ['Enter', 'Space']) {
    await summary.focus();
    await page.keyboard.press(key);
    expect([key, await isOpen(location)]).toEqual([key, true]);
    await page.keyboard.press(key);
    expect([key, await isOpen(location)]).toEqual([key, false]);
  }
  expect(await page.locator('.jp-Notebook.jp-mod-editMode').count()).toBe(0);
}, 30_000);

test('the link of a circle scrolls to the object that contains itself', async () => {
  const { page } = session.lab;
  const address = page.url();
  await fold("city: 'Ulm'").locator('> summary').click();
  const link = output(0).getByRole('link', { name: '[Circular *1]' });
  const name = (await link.getAttribute('href'))!.slice(1);
  const target = output(0).locator(`[id="${name}"]`);
  expect(await target.locator('> summary').textContent()).toBe('Object');
  await link.click();
  expect(page.url()).toBe(address);
  expect(await target.evaluate(node => node.getBoundingClientRect().top)).toBeGreaterThanOrEqual(0);
  await fold("city: 'Ulm'").locator('> summary').click();
}, 30_000);

test.each([...THEMES, ['JupyterLab Dark High Contrast', 'contrast'] as const])(
  'in %s it is accessible',
  async (theme, suffix) => {
    await session.lab.setTheme(theme);
    await output(0).scrollIntoViewIfNeeded();
    await saveScreenshot(output(0), `value-tree-${suffix}`);
    expect(await seriousFindings(output(0))).toEqual([]);
  },
  60_000
);

test('in forced colours, values have the colour of text', async () => {
  const { page } = session.lab;
  await page.emulateMedia({ forcedColors: 'active' });
  const colours = await output(0)
    .locator('li, li > span')
    .evaluateAll(nodes => [...new Set(nodes.map(node => getComputedStyle(node).color))]);
  await saveScreenshot(output(0), 'value-tree-forced');
  await page.emulateMedia({ forcedColors: 'none' });
  expect(colours).toHaveLength(1);
}, 30_000);

test('in a notebook that is not trusted a tree keeps its folds and its text', async () => {
  const { lab } = session;
  await lab.setTheme('JupyterLab Light');
  const text = await output(0).innerText();
  const { cells, metadata } = await lab.contents();
  // A notebook that the server has not signed.
  const other = { cells, metadata: { ...metadata, title: 'another' }, nbformat: 4, nbformat_minor: 5 };
  writeFileSync(join(root, 'build', 'values', 'other.ipynb'), JSON.stringify(other));
  await lab.show('other.ipynb');
  await output(0).locator('details').first().waitFor();
  expect(await output(0).innerText()).toBe(text);
  expect(await output(0).locator('span[style*="color"]').count()).toBe(0);
  await saveScreenshot(output(0), 'value-tree-untrusted');
}, 90_000);
