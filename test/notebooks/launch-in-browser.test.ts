/** The picture of a launch in JupyterLab: lines and lanes by keyboard and pointer, other indices, the cells run again. */

import type { Locator } from 'playwright-core';
import { lab, session, withSession } from './lab-session.ts';

const cell = (
  index: string
): string => `const smooth = cuda.kernel((x: Readonly<DeviceArray<f32>>, out: DeviceArray<f32>) => {
  const tile = cuda.shared(f32, 256);
  const t = cuda.threadIdx.x;
  const i = cuda.grid(1);
  tile[t] = i < x.length ? value(x, i) : 0;
  cuda.syncThreads();
  if (t > 0 && i < x.length) out[i] = (tile[${index}] + tile[t - 1]) / 2;
});
inspect(smooth, { grid: 4, block: 256 }, x, out);`;

withSession('launch', [
  `import { arange, cuda, f32, i32, inspect, zeros, type DeviceArray } from "stridelab";
const x = arange(1000, { dtype: "float32" }), out = zeros(1000, { dtype: "float32" });
function value(list: Readonly<DeviceArray<f32>>, i: i32): f32 {
  return list[i]! + list[(2 * i) % 1000]!;
}`,
  cell('t')
]);
const view = (): Locator => lab.cell(1).locator('.stridelab-view');
const line = (text: string): Locator => view().locator('.stridelab-launch-row', { hasText: text });
const lanes = (): Locator => view().locator('.stridelab-launch-warp');

beforeAll(() => line('out[i] =').waitFor({ timeout: 60_000 }), 180_000);

test('lines have their figures, also those of a helper', async () => {
  expect(await line('out[i] =').textContent()).toContain('no bank conflict');
  expect(await line('return list[i]').textContent()).toMatch(/read x: [\d.]+ sectors/);
  expect(await lab.errorOutputs()).toEqual([]);
});

test('arrows choose lines and lanes', async () => {
  await line('out[i] =').focus();
  await expectCurrent('out[i] =');
  await lab.page.keyboard.press('ArrowUp');
  await expectCurrent('tile[t] =');
  await lab.page.keyboard.press('ArrowDown');
  await expectCurrent('out[i] =');
  const before = await lanes().textContent();
  await line('tile[t] =').hover();
  // A line that has the focus stays.
  expect(await lanes().textContent()).toBe(before);
});

test('screenshots in both themes', async () => {
  await session.screenshots(view(), 'launch');
  expect(await view().isVisible()).toBe(true);
}, 60_000);

test('another index shows other conflicts, and so does a second run of all cells', async () => {
  await lab.run(1, cell('(32 * t) % 256'));
  await line('out[i] =').filter({ hasText: '-way bank conflict' }).waitFor({ timeout: 60_000 });
  await lab.command('notebook:run-all-cells');
  await lab.kernelIs('idle');
  await line('out[i] =').filter({ hasText: '-way bank conflict' }).waitFor({ timeout: 60_000 });
  expect(await view().count()).toBe(1);
  expect(await lab.errorOutputs()).toEqual([]);
  expect(lab.complaints).toEqual([]);
}, 120_000);

async function expectCurrent(text: string): Promise<void> {
  await view()
    .locator('.stridelab-launch-row[aria-current=true]', { hasText: text })
    .waitFor({ timeout: 10_000 });
}
