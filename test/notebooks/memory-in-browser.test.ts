import type { Locator } from 'playwright-core';
import { seriousFindings } from './accessibility.ts';
import { LabSession } from './lab-session.ts';

const CELLS = [
  `import { arange, BestFitPoolMemoryManager, inspect, memoryLog, setMemoryManager, zeros } from 'stridelab';
setMemoryManager(BestFitPoolMemoryManager);
const weights = zeros([512, 512], { dtype: 'float32' });
inspect(memoryLog.start());`,
  `const frames = [1, 2, 3].map(() => zeros([256, 1024], { dtype: 'float32' }));
const scratch = zeros([700, 1000], { dtype: 'float32' });
const image = arange(1920 * 1080, { dtype: 'float32' });
const thumbnail = image.slice('::-16');`,
  `scratch.dispose();
frames[1]!.dispose();
const mask = zeros([1080, 1920], { dtype: 'bool' });
const later = zeros([300, 1000], { dtype: 'float32' });
for (const steps of [1, 2, 3]) zeros([steps, 100_000], { dtype: 'float32' }).dispose();`,
  `try { zeros([64, 1024, 1024, 1024]); } catch (error) { console.log(error.message); }`,
  `console.log('done');`
];

describe('memory in JupyterLab', () => {
  let session: LabSession;
  let view: Locator;

  beforeAll(async () => {
    session = await LabSession.start('memory', CELLS);
    await session.lab.page.locator('pre', { hasText: /^done/ }).waitFor({ timeout: 60_000 });
    view = session.lab.page.locator('.stridelab-memory').first();
    await view.locator('caption', { hasText: 'refused' }).waitFor({ timeout: 20_000 });
  }, 180_000);

  afterAll(async () => {
    await session?.[Symbol.asyncDispose]();
  }, 30_000);

  test('screens', async () => {
    await session.screenshots(view, 'memory');
    expect(await seriousFindings(view)).toEqual([]);
  }, 60_000);
});
