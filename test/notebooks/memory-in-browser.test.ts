import type { Locator } from 'playwright-core';
import { seriousFindings } from './accessibility.ts';
import { session, THEMES, withSession } from './lab-session.ts';

const CELLS = [
  `import { arange, inspect, memoryLog, zeros } from 'stridelab';
  import { BestFitPoolMemoryManager, currentManager, setMemoryManager } from 'stridelab/memory';
setMemoryManager(BestFitPoolMemoryManager);
const pool = currentManager() as BestFitPoolMemoryManager;
pool.setLimit({ bytes: 18 * 2 ** 20 });
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
for (const steps of [1, 2, 3]) zeros([steps, 100_000], { dtype: 'float32' }).dispose();
const kept = (() => { const hidden = zeros([50_000], { dtype: 'float32' }); return () => hidden.shape; })();`,
  `try { zeros([900, 1000], { dtype: 'float32' }); } catch (error) { console.log('done'); }`
];

describe('memory in JupyterLab', () => {
  let view: Locator;

  withSession('memory', CELLS);
  beforeAll(async () => {
    await session.lab.page.locator('pre', { hasText: /^done/ }).waitFor({ timeout: 60_000 });
    view = session.lab.page.locator('.stridelab-memory-view').first();
    await view.locator('li', { hasText: 'refused' }).waitFor({ timeout: 20_000 });
  }, 180_000);

  const slider = (): Locator => view.getByRole('slider');
  const readout = (): Promise<string> =>
    view
      .locator('.stridelab-mv-readout span')
      .textContent()
      .then(text => text ?? '');
  const rows = (): Locator => view.locator('tbody tr');

  test('names variables, views, elements and memory that no variable holds; a failure has its reason', async () => {
    const table = await rows().allTextContents();
    const sized = (text: string): string | undefined => table.find(row => row.includes(text));
    expect(sized('image (view thumbnail)')).toContain('float32 (2073600,)');
    expect(sized('frames[0]')).toContain('In [2]');
    expect(sized('held by an object or a function')).toContain('195.5 KiB');
    expect(sized('weights')).toContain('before the log');
    expect(await view.locator('li', { hasText: 'refused' }).textContent()).toMatch(
      /✕ 3.4 MiB refused.*In \[4\].*Fragmentation: the pools have .* free, in holes of at most .* limit/
    );
  });

  test('the keyboard moves the cursor from event to event; map and table show the blocks of that time', async () => {
    await slider().focus();
    await session.lab.page.keyboard.press('Home');
    expect(await readout()).toMatch(/^Before the first event: 1 MiB in use/);
    expect(await rows().count()).toBe(1);
    await session.lab.page.keyboard.press('ArrowRight');
    await session.lab.page.keyboard.press('ArrowRight');
    // It was freed later: its name is known only if a picture was drawn before that.
    expect(await readout()).toMatch(
      /^Event 2 of \d+ \(.*In \[2\]\): \+1 MiB (frames\[1\]|no variable); 3 MiB in use/
    );
    expect(await rows().count()).toBe(3);
    expect(await slider().getAttribute('aria-valuenow')).toBe('2');
    await session.lab.page.keyboard.press('PageDown');
    expect(await readout()).toContain('Before the first event');
    // JupyterLab's command mode did not handle the keys.
    expect(await slider().evaluate(element => element === document.activeElement)).toBe(true);
  });

  test('two cursors list the blocks allocated between them that are still alive', async () => {
    await slider().focus();
    for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight'])
      await session.lab.page.keyboard.press(key);
    await view.getByRole('button', { name: 'Compare from here' }).press('Enter');
    await slider().focus();
    await session.lab.page.keyboard.press('End');
    const between = /^Between A and B: 3 allocated and still alive, 3.3 MiB; 2 freed, 3.7 MiB/;
    await view.locator('caption', { hasText: between }).waitFor();
    await session.screenshots(view, 'memory');
    await view.getByRole('button', { name: 'End comparison' }).press('Enter');
  }, 60_000);

  test('the keyboard moves from block to block, and the table marks the row', async () => {
    const blocks = view.getByRole('listbox');
    await blocks.focus();
    await session.lab.page.keyboard.press('Home');
    const first = await view.getByRole('option').textContent();
    await session.lab.page.keyboard.press('ArrowRight');
    await session.lab.page.keyboard.press('ArrowDown');
    await session.lab.page.keyboard.press('Home');
    expect(await view.getByRole('option').textContent()).toBe(first);
    const size = first?.split(', ')[1] ?? '';
    expect(await view.locator('tr[aria-current]').textContent()).toContain(size);
  });

  test('a click on a header sorts; Show moves the cursor to the failure', async () => {
    await view.getByRole('button', { name: 'Size' }).press('Enter');
    expect(await view.locator('th[aria-sort="ascending"]').textContent()).toBe('Size');
    const sizes = await rows().locator('td:first-child').allTextContents();
    expect(sizes[0]).toBe('195.5 KiB');
    await view.getByRole('button', { name: 'Size' }).press('Enter');
    await view.getByRole('button', { name: 'Show', exact: true }).press('Enter');
    expect(await readout()).toMatch(/: ✕ 3.4 MiB refused; /);
    await session.screenshots(view, 'memory-failed');
  }, 60_000);

  test('has no serious axe-core finding in either theme', async () => {
    for (const [theme] of THEMES) {
      await session.lab.setTheme(theme);
      expect(await seriousFindings(view)).toEqual([]);
    }
    expect(session.lab.complaints).toEqual([]);
  }, 60_000);

  test('stops and starts recording from the page', async () => {
    await view.getByRole('button', { name: 'Stop recording' }).click();
    await view.locator('.stridelab-lifetime', { hasText: 'not recording' }).waitFor();
    await view.getByRole('button', { name: 'Start recording' }).click();
    await view.locator('.stridelab-lifetime', { hasText: /^●recording/ }).waitFor();
    expect(await readout()).toContain('No events yet');
  }, 30_000);
});
