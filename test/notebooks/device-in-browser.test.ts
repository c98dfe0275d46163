/** The device card and the stream pill in JupyterLab: live updates, keyboard, a second view, a restart. */

import type { Locator } from 'playwright-core';
import { session, withSession } from './lab-session.ts';

const CELLS = [
  "import { devices, inspect, Stream, trace, zeros } from 'stridelab';\nconst device = devices().find(({ simulated }) => simulated)!;\ninspect(device);",
  'const producer = new Stream({ device });\nconst consumer = new Stream({ device, priority: -2 });\ntrace.start();\nconst held = zeros(1 << 28, { dtype: "uint8", stream: producer });\nconsumer.wait(producer);\nzeros(1 << 20, { stream: consumer }).dispose();\ninspect(consumer);',
  'device'
];

let card: Locator;
let pill: Locator;

withSession('device-pictures', CELLS);
beforeAll(async () => {
  card = session.lab.cell(0).locator('.stridelab-device-card');
  pill = session.lab.cell(1).locator('.stridelab-stream-pill');
  await pill.waitFor({ timeout: 60_000 });
}, 180_000);

test('the card shows the memory that later cells allocate', async () => {
  await card.getByText('256 MiB in blocks of this process').waitFor({ timeout: 15_000 });
  expect(await card.locator('.stridelab-lifetime').textContent()).toContain('live');
  // Memory use over time, on the simulated device too.
  await card
    .getByText(/^Last \d+ s: memory in use .* to 2\d\d\.?\d* MiB, now 2/)
    .waitFor({ timeout: 15_000 });
  await card.getByText('As a table').click();
  await card.getByRole('cell', { name: '–' }).first().waitFor();
  await card.getByText('As a table').click();
}, 30_000);

test('the pill shows the progress of its stream, and waits for it', async () => {
  await pill.getByText('2 of 2 done').waitFor({ timeout: 15_000 });
  await pill.getByRole('button', { name: 'Synchronize' }).click();
  await pill.getByText('All submitted work is done.').waitFor({ timeout: 15_000 });
}, 60_000);

test('the pill expands with the keyboard to the recorded operations, and the notebook keeps its cells', async () => {
  const fold = pill.getByRole('button', { name: /^stream #/ });
  await fold.focus();
  await session.lab.page.keyboard.press('Enter');
  await pill.getByRole('cell', { name: 'fill', exact: true }).first().waitFor({ timeout: 15_000 });
  expect(await fold.getAttribute('aria-expanded')).toBe('true');
  expect(await pill.textContent()).toContain('Waits for other streams: 1.');
  expect(await session.lab.page.locator('.jp-Notebook .jp-CodeCell').count()).toBe(CELLS.length);
}, 60_000);

test('the last expression shows the card without the kernel', async () => {
  const shown = session.lab.cell(2).locator('.stridelab-device-card');
  await shown.waitFor({ timeout: 15_000 });
  expect(await shown.locator('.stridelab-lifetime').textContent()).toContain('snapshot');
}, 30_000);

test('screenshots of both are saved', async () => {
  await session.screenshots(card, 'device-card');
  await session.screenshots(pill, 'stream-pill');
  expect(session.lab.complaints).toEqual([]);
}, 60_000);

test('after a restart both are marked as snapshots', async () => {
  await session.lab.page.evaluate(async () => {
    const { jupyterapp } = window as unknown as {
      jupyterapp: {
        shell: { currentWidget: { sessionContext: { session: { kernel: { restart(): Promise<void> } } } } };
      };
    };
    await jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart();
  });
  for (const picture of [card, pill])
    await picture.locator('.stridelab-lifetime', { hasText: 'snapshot' }).waitFor({ timeout: 15_000 });
  expect(await pill.getByRole('button', { name: 'Synchronize' }).getAttribute('aria-disabled')).toBe('true');
}, 60_000);
