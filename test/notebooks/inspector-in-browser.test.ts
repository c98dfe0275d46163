import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { seriousFindings } from './accessibility.ts';
import { session, withSession } from './lab-session.ts';

let inspector: Locator;

/** A wave with NaNs and infinities. */
const WAVE = `
  import { arange, inspect, less, sin, where } from 'stridelab';
  const wave = sin(arange(3 * 60 * 60, { dtype: 'float32' }).multiply(0.02)).reshape(3, 60, 60).multiply(40);
  const holes = where(less(wave, -39.5), NaN, wave);
  holes.slice(0, 0, 4).fill(-0); holes.slice(0, 1, 2).fill(Infinity);
  await holes.synchronizeAsync();
  const view = holes.slice(null, null, '::2');
  inspect(view);`;

const tab = async (name: string): Promise<Locator> => {
  await inspector.getByRole('tab', { name }).click();
  return inspector.getByRole('tabpanel', { name });
};
const press = (key: string): Promise<void> => session.lab.page.keyboard.press(key);
const focused = (): Promise<string> =>
  session.lab.page.evaluate(() => document.activeElement?.textContent ?? '');
withSession('inspector', [WAVE, '']);
beforeAll(async () => {
  inspector = session.lab.liveInspector().element;
  await inspector.waitFor({ timeout: 40_000 }).catch(async (error: unknown) => {
    throw new Error((await session.lab.errorOutputs()).join('\n'), { cause: error });
  });
}, 180_000);

test('the header has statistics measured on the device, and marks NaN and infinities', async () => {
  const line = inspector.locator('.stridelab-statistics');
  await line.getByText('measured on').waitFor();
  const text = (await line.textContent()) ?? '';
  expect(text).toMatch(/min-39\.\d+max40mean2\.4/);
  expect(text).toMatch(/268 NaN.*1 Inf.*192 B copied/);
  expect(await seriousFindings(inspector)).toEqual([]);
  await session.screenshots(inspector, 'inspector');
}, 30_000);

test('values: pages, cursor and index work with the keyboard, and colours have a legend', async () => {
  const panel = await tab('Values');
  await panel.getByText('rows 0–15 of 60').waitFor();
  await panel.locator('tbody td').first().click();
  await press('ArrowRight');
  expect(await focused()).toBe('1.59957');
  await press('ArrowDown');
  expect(await focused()).toBe('∞');
  await press('PageDown');
  await panel.getByText('rows 16–31 of 60').waitFor();
  await session.lab.page.waitForFunction(() => document.activeElement?.closest('.stridelab-values') !== null);
  expect(await panel.locator('.stridelab-readout').textContent()).toMatch(/^\[0, 17, 1\] = /);
  await panel.getByLabel('Go to index').fill('2, 59, 29');
  await press('Enter');
  await panel.getByText('Matrix [2, :, :]; rows 48–59 of 60').waitFor();
  await panel.getByLabel('Go to index').fill('0, 0, 0');
  await press('Enter');
  await panel.getByText('Matrix [0, :, :]; rows 0–15 of 60').waitFor();
  await panel.getByLabel('Colour').check();
  expect(await panel.locator('[data-special]').allTextContents()).toContain('−0');
  expect(await seriousFindings(inspector)).toEqual([]);
  await session.screenshots(inspector, 'inspector-values');
}, 60_000);

test('colours follow the settings immediately', async () => {
  const { lab } = session;
  const set = (name: string, value: string): Promise<void> =>
    lab.page
      .locator('html')
      .evaluate((html, [key, to]) => void (html.dataset[key] = to), [name, value] as const);
  await lab.choose('divergingColours', 'Purple and green');
  await lab.choose('sequentialColours', 'Navy to yellow');
  await lab.page.locator('[data-stridelab-diverging="purple-green"]').waitFor({ state: 'attached' });
  const positive = (await tab('Values')).locator('td[data-tint="positive"]').last();
  expect(await positive.evaluate(cell => getComputedStyle(cell).backgroundColor)).toMatch(
    /color\(srgb 0 0\.53/
  );
  const bytes = await tab('Bytes');
  await bytes.getByLabel('Colour').check();
  expect(await seriousFindings(inspector)).toEqual([]);
  await session.screenshots(inspector, 'inspector-bytes-navy-yellow');
  await set('stridelabDiverging', 'contrast');
  await set('stridelabSequential', 'contrast');
  for (const name of ['Bytes', 'Values']) {
    await tab(name);
    expect(await seriousFindings(inspector)).toEqual([]);
    await session.screenshots(inspector, `inspector-${name.toLowerCase()}-contrast`);
  }
  await tab('Bytes');
  await bytes.getByLabel('Colour').uncheck();
  // For the following tests.
  rmSync(join(session.server.state, 'settings', 'stridelab'), { recursive: true, force: true });
  for (const name of ['stridelabDiverging', 'stridelabSequential']) await set(name, 'theme');
}, 90_000);

test('a write in another cell updates the open page, and the changes are marked', async () => {
  await session.lab.run(1, 'holes.slice(0, 3, 0).fill(12.5); 0;');
  const panel = await tab('Values');
  await panel.locator('.stridelab-changed', { hasText: '12.5' }).waitFor();
  await inspector.locator('.stridelab-statistics').getByText('measured on').waitFor();
}, 30_000);

test('histogram: bars announce range and count to the keyboard, with a pinned range and a logarithmic scale', async () => {
  const panel = await tab('Histogram');
  await panel.getByText('Bins: 64').waitFor();
  await panel.locator('.stridelab-histogram [tabindex="0"]').focus();
  await press('End');
  expect(await panel.locator('.stridelab-readout').first().textContent()).toMatch(/, 40\]: \d+ elements/);
  await panel.getByText('As a table').click();
  expect(await panel.getByRole('row').count()).toBe(65);
  expect(await seriousFindings(inspector)).toEqual([]);
  await panel.getByText('As a table').click();
  await session.screenshots(inspector, 'inspector-histogram');
  await panel.getByLabel('From').fill('-10');
  await panel.getByLabel('to', { exact: true }).fill('10');
  await press('Enter');
  await panel.getByText(/^above: \d/).waitFor();
  await panel.getByLabel('Logarithmic').check();
  // Live changes keep the axis.
  await session.lab.run(1, 'view.slice(0, 0).fill(11); await view.synchronizeAsync(); 0;');
  await panel.getByText(/Pinned from -10 to 10: \d/).waitFor();
  await panel.getByRole('button', { name: 'Pin range' }).press('Space');
  await panel.getByText('Pinned from').waitFor({ state: 'hidden' });
}, 60_000);

test('bytes: an element is found by its index, with its bits, and steps lead from element to element', async () => {
  const panel = await tab('Bytes');
  await panel.getByText('dimmed bytes').waitFor();
  await panel.getByLabel('Go to index').fill('0, 3, 1');
  await press('Enter');
  await panel.getByText('[0, 3, 1] = -19.1211').waitFor();
  expect(await panel.locator('[data-own]').count()).toBe(4);
  await panel.locator('td[tabindex="0"]').focus();
  await press('Control+ArrowRight');
  await panel.getByText('[0, 3, 2] = ').waitFor();
  await press('Control+ArrowLeft');
  await panel.getByText('[0, 3, 1] = ').waitFor();
  expect(await seriousFindings(inspector)).toEqual([]);
  await session.screenshots(inspector, 'inspector-bytes');
  // Changing the theme may have taken the focus.
  await panel.locator('td[tabindex="0"]').focus();
  await press('PageDown');
  await panel.getByText('rows 48–63').waitFor();
}, 60_000);

test('freed memory is shown by badge and tab', async () => {
  await session.lab.run(1, 'view.dispose(); 0;');
  const values = await tab('Values');
  await values.getByText('no values to show').waitFor();
  expect(await inspector.getAttribute('data-lifetime')).toBe('freed');
  expect(await inspector.locator('.stridelab-lifetime').textContent()).toContain('freed');
  expect(session.lab.complaints).toEqual([]);
}, 30_000);
