/** The handle that `inspect` returns, in JupyterLab: a tab, a place beside the notebook, and closing. */

import type { Locator } from 'playwright-core';
import { session, withSession } from './lab-session.ts';

const CELLS = [
  `import { inspect, zeros } from 'stridelab';
const w = zeros([2, 3], { device: 'sim:0' });
const view = inspect(w).show('values').place('right');
view`,
  '',
  'await inspect(w)'
];

const inCell = (cell = 0): Locator => session.lab.cell(cell).locator('.stridelab-inspector');
const placed = (): Locator => session.lab.page.locator('.stridelab-inspector-tab .stridelab-inspector');
const isOpen = async (picture: Locator, name: string): Promise<void> =>
  picture.locator('[role=tab][aria-selected=true]', { hasText: name }).waitFor();
const run = (source: string): Promise<string> => session.lab.run(1, source);

withSession('inspection', CELLS);

test('as the last expression, awaited or not, one picture is shown', async () => {
  for (const cell of [0, 2]) {
    await inCell(cell).first().waitFor();
    expect(await inCell(cell).count()).toBe(1);
    expect(await session.lab.outputs(cell).count()).toBe(1);
  }
}, 60_000);

test('the tab is open in the cell and in the view that was placed next to the notebook', async () => {
  await placed().waitFor();
  await isOpen(inCell(), 'Values');
  await isOpen(placed(), 'Values');
  const notebook = (await session.lab.page.locator('.jp-NotebookPanel').boundingBox())!;
  expect((await placed().boundingBox())!.x).toBeGreaterThanOrEqual(notebook.x + notebook.width - 1);
  expect(await session.lab.page.locator('.lm-TabBar-tabLabel', { hasText: /^w$/ }).count()).toBe(1);
}, 60_000);

test('it switches to another tab and another place, and follows the array there', async () => {
  await run("view.show('layout').place('below'), undefined");
  await isOpen(inCell(), 'Layout');
  await session.lab.page.waitForFunction(() => {
    const view = document.querySelector('.stridelab-inspector-tab');
    const notebook = document.querySelector('.jp-NotebookPanel');
    return (
      view !== null &&
      notebook !== null &&
      view.getBoundingClientRect().top >= notebook.getBoundingClientRect().bottom - 1
    );
  });
  expect(await placed().count()).toBe(1);
  // A user opens another tab; code opens the same one again.
  await inCell().getByRole('tab', { name: 'Streams' }).click();
  await run("w.fill(5), view.show('layout'), undefined");
  await isOpen(inCell(), 'Layout');
  await placed().locator('.stridelab-statistics', { hasText: '5' }).waitFor();
}, 60_000);

test('it can be placed in the sidebar', async () => {
  await run("view.place('sidebar'), undefined");
  await session.lab.page.locator('#jp-right-stack .stridelab-inspector').waitFor();
  expect(await placed().count()).toBe(1);
}, 60_000);

test('after closing, the placed view is removed, and the cell keeps what was shown last', async () => {
  expect(
    await run(
      "w.fill(6), await new Promise(r => setTimeout(r, 300)), view.close(), view.close(), view.show('bytes').place('tab').closed"
    )
  ).toContain('true');
  await placed().waitFor({ state: 'detached' });
  await inCell().locator('.stridelab-lifetime', { hasText: 'snapshot' }).waitFor();
  expect(await inCell().count()).toBe(1);
  await inCell().locator('.stridelab-statistics', { hasText: '6' }).waitFor();
  expect(session.lab.complaints).toEqual([]);
}, 60_000);
