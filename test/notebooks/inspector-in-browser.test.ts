import type { Locator } from 'playwright-core';
import { seriousFindings } from './accessibility.ts';
import { LabSession } from './lab-session.ts';

let session: LabSession;
let inspector: Locator;

const tab = (name: string): Promise<void> => inspector.getByRole('tab', { name }).click();
const panel = (): Locator => inspector.locator('.stridelab-panel:not([hidden])');
const press = (key: string): Promise<void> => session.lab.page.keyboard.press(key);
const focused = (): Promise<string> =>
  session.lab.page.evaluate(() => document.activeElement?.textContent ?? '');

beforeAll(async () => {
  session = await LabSession.start('inspector', [
    `import { inspect, array, arange, where, less, sin } from 'stridelab';
     const waves = sin(arange(120 * 90, { dtype: 'float32' }).multiply(0.02)).reshape(3, 60, 60).multiply(40);
     const holes = where(less(waves, -39.5), NaN, waves);
     const [first, second] = [holes.slice(0, 0, 3), holes.slice(0, 1, 2)];
     first.fill(-0); second.fill(Infinity);
     await holes.synchronizeAsync();
     inspect(holes.slice(null, null, '::2'));`
  ]);
  inspector = session.lab.liveInspector().element;
  await inspector.waitFor({ timeout: 40_000 }).catch(async (error: unknown) => {
    throw new Error((await session.lab.errorOutputs()).join(), { cause: error });
  });
}, 180_000);
afterAll(() => session?.[Symbol.asyncDispose](), 30_000);

test('the header', async () => {
  await session.screenshots(inspector, 'inspector');
});
for (const name of ['Values', 'Histogram', 'Bytes'])
test('tab '+name, async () => {
  await tab(name);
  await new Promise(r => setTimeout(r, 1000));
  if (name==='Values') await inspector.getByLabel('Colour').check();
  expect(await seriousFindings(inspector)).toEqual([]);
  await session.screenshots(inspector, 'inspector-'+name.toLowerCase());
}, 30000);
