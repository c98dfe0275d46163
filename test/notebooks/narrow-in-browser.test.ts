/** Live pictures in JupyterLab in a window 390 pixels wide, as on a phone, and at 200 %: every tab, and the Arrays panel. */

import type { Locator } from 'playwright-core';
import { session, withSession } from './lab-session.ts';
import { clippedTexts, overflowing } from './picture-layout.ts';
import { saveScreenshot } from './screenshot.ts';

const SETUP = `import { add, arange, asCudaArray, cuda, devices, type DeviceArray, type f32, exchanges, inspect, memoryLog, Stream, trace } from 'stridelab';
const device = devices().find(({ simulated }) => simulated)!;
trace.start(), memoryLog.start(), exchanges.start();
const first = new Stream({ device }), second = new Stream({ device, priority: -1 });
const measured_temperatures = arange(4000, { dtype: 'float32', device, stream: first }).reshape(4, 25, 40).add(0.123);
const sum = add(measured_temperatures, 1, { stream: second });
asCudaArray({ get __cuda_array_interface__() { return sum.__cuda_array_interface__; } }, { stream: first }).dispose();
first.synchronize(), second.synchronize();
await measured_temperatures.synchronizeAsync();
const copy = cuda.kernel((x: Readonly<DeviceArray<f32>>, out: DeviceArray<f32>) => { const i = cuda.grid(1); if (i < x.length) out[i] = x[i]; });
const source = measured_temperatures.reshape(-1);
const launch = [copy, { grid: 16, block: 256 }, source, source.copy()] as const;`;

const PICTURES = [
  'measured_temperatures',
  'device',
  'second',
  'trace',
  'memoryLog',
  'exchanges',
  '...launch'
] as const;

withSession('narrow', [SETUP, ...PICTURES.map(name => `inspect(${name})`)]);
beforeAll(async () => {
  await viewOf(PICTURES.length).waitFor({ timeout: 60_000 });
}, 180_000);

const viewOf = (cell: number): Locator => session.lab.cell(cell).locator('.stridelab-view');
const tall = { width: 390, height: 844 };

/** Sets the width of the window, and waits until the pictures have a new layout. */
async function resize(size: typeof tall): Promise<void> {
  await session.lab.page.setViewportSize(size);
  await session.lab.page.waitForFunction(
    width => {
      const box = document.querySelector('.jp-Notebook')?.getBoundingClientRect();
      return box !== undefined && box.right <= width + 1;
    },
    size.width,
    { timeout: 15_000 }
  );
  await session.lab.page.evaluate(
    () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  );
}

const faultsOf = async (view: Locator): Promise<string[]> => [
  ...(await overflowing(view)),
  ...(await clippedTexts(view))
];

test.each([
  ['390', tall],
  // At 200 % a window of 1,280 pixels has half as many.
  ['200-percent', { width: 640, height: 500 }]
])(
  '%s: live pictures fit, in each tab',
  async (name, size) => {
    await resize(size);
    const found: Record<string, string[]> = {};
    for (const [index, picture] of PICTURES.entries()) {
      const view = viewOf(index + 1);
      await view.scrollIntoViewIfNeeded();
      const faults: string[] = await faultsOf(view);
      await saveScreenshot(view, `live-${picture}-${name}`);
      for (const [at, tab] of (await view.getByRole('tab').all()).entries()) {
        await tab.click();
        const panel = view.locator('[role=tabpanel]:visible').first();
        await panel.waitFor();
        await panel.getByText('Loading…').waitFor({ state: 'hidden' });
        await panel.getByText('Reading from the device…').waitFor({ state: 'hidden' });
        faults.push(...(await faultsOf(view)).map(fault => `${at}: ${fault}`));
        await saveScreenshot(view, `live-${picture}-${at}-${name}`);
      }
      found[picture] = faults;
    }
    expect(found).toEqual(Object.fromEntries(PICTURES.map(picture => [picture, []])));
  },
  120_000
);

test('the values adapt to the width of the window', async () => {
  const view = viewOf(1);
  await view.getByRole('tab', { name: 'Values' }).click();
  const columns = view.locator('.stridelab-values thead th');
  const [narrow, wide] = [
    { width: 390, height: 844 },
    { width: 1280, height: 1000 }
  ];
  await resize(wide);
  await view.locator('.stridelab-values thead th:nth-child(12)').waitFor();
  const many = await columns.count();
  const room = await view.evaluate(root => {
    const [table, panel] = ['.stridelab-values', '[role=tabpanel]:not([hidden])'].map(
      selector => root.querySelector(selector)!.getBoundingClientRect().width
    );
    return panel! - table!;
  });
  // The maximum that fits: one more would overflow.
  expect(room).toBeGreaterThanOrEqual(0);
  expect(room).toBeLessThan(140);
  await resize(narrow);
  await view.locator(`.stridelab-values thead th:nth-child(${many + 1})`).waitFor({ state: 'detached' });
  expect(await columns.count()).toBeLessThan(6);
}, 60_000);

test('the Arrays panel fits too', async () => {
  await resize(tall);
  await session.lab.command('stridelab:show-arrays');
  const panel = session.lab.page.locator('#stridelab-arrays');
  await panel.getByText('measured_temperatures').first().waitFor({ timeout: 20_000 });
  await saveScreenshot(panel, 'live-arrays-panel-390');
  expect(await faultsOf(panel)).toEqual([]);
  expect(session.lab.complaints).toEqual([]);
}, 60_000);
