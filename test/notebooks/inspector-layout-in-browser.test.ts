/** The inspector's Layout, Descriptor with its comparison, and DLPack, in JupyterLab: keyboard, both themes, accessibility. */

import type { Locator } from 'playwright-core';
import { seriousFindings } from './accessibility.ts';
import type { InspectorView } from './lab-page.ts';
import { session, THEMES, withSession } from './lab-session.ts';

const CELLS = [
  `import { arange, inspect } from 'stridelab';
const a = arange(24, { dtype: 'float32', device: 'sim:0' }).reshape(4, 6);
const view = a.slice(null, '::-2');
const transposed = a.transpose();
inspect(view);`,
  `const capsule = view.__dlpack__({ maxVersion: [1, 3] });
view.__dlpack__({ maxVersion: [1, 3] }).dispose();
capsule.name`
];

describe('the inspector in JupyterLab', () => {
  let inspector: InspectorView;
  const find = (selector: string): Locator => inspector.element.locator(selector);
  const text = async (selector: string): Promise<string> => (await find(selector).textContent()) ?? '';
  const press = (key: string): Promise<void> => session.lab.page.keyboard.press(key);
  const focusedLabel = (): Promise<string | null> =>
    session.lab.page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);

  withSession('inspector-layout', CELLS);
  beforeAll(async () => {
    inspector = session.lab.liveInspector();
    await inspector.element.waitFor({ timeout: 60_000 });
  }, 180_000);

  test('rules 18, 23: the keyboard moves through elements and bytes, and each side follows the other', async () => {
    await inspector.showTab('Layout');
    await find('table [role=gridcell]').first().click();
    expect(await text('.stridelab-sum')).toBe('base 20 + i 0·24 + j 0·(-8) = byte 20');
    await press('ArrowRight');
    await press('ArrowDown');
    expect(await focusedLabel()).toBe('Bytes 36 to 39: element [1, 1], number 4');
    expect(await text('.stridelab-sum')).toBe('base 20 + i 1·24 + j 1·(-8) = byte 36');
    expect(await find('.stridelab-strip-bytes [data-here]').allTextContents()).toEqual(['4']);
    await press('Tab');
    expect(await focusedLabel()).toBe('More bytes per row');
    await press('Tab');
    await press('Tab');
    expect(await focusedLabel()).toBe('Bytes 36 to 39: element [1, 1], number 4');
    await press('ArrowRight');
    expect(await focusedLabel()).toContain('no element');
    await press('ArrowRight');
    expect(await find('table [data-here]').allTextContents()).toEqual(['3']);
    await press('Shift+Tab');
    expect(await focusedLabel()).toBe('Fewer bytes per row');
  }, 60_000);

  test('the pointer marks the other side while it hovers', async () => {
    await find('.stridelab-strip-bytes [aria-label^="Bytes 4 to 7: element [0, 2]"]').hover();
    expect(await find('table [data-here]').allTextContents()).toEqual(['2']);
    await inspector.element.getByRole('tab', { name: 'Layout' }).hover();
    expect(await find('table [data-here]').allTextContents()).toEqual(['3']);
  }, 60_000);

  test('a chain of views is drawn and compared, and the array is unchanged', async () => {
    await find('.stridelab-what-if select').selectOption('broadcastTo');
    await find('.stridelab-what-if input').fill('2, 4, 3');
    await press('Enter');
    expect(await text('.stridelab-what-if code')).toBe('view.broadcastTo([2, 4, 3])');
    expect(await find('.stridelab-strip-bytes [data-kind=shared]').count()).toBe(12);
    expect(await find('.stridelab-compare tbody tr').count()).toBe(2);
    await inspector.element.getByRole('button', { name: 'Undo' }).click();
    await find('.stridelab-what-if select').selectOption('transpose');
    await inspector.element.getByRole('button', { name: 'Apply' }).click();
    await find('table [role=gridcell]').nth(1).click();
    await session.screenshots(inspector.element, 'inspector-layout');
    expect(await inspector.descriptorValue('strides')).toBe('(24, -8)');
  }, 60_000);

  test('capsules are followed: exported, deleted, and the number outstanding', async () => {
    await inspector.showTab('DLPack');
    const capsules = find('.stridelab-protocol tbody tr').filter({ hasText: 'dltensor_versioned' });
    await capsules.filter({ hasText: 'exported' }).first().waitFor({ timeout: 20_000 });
    await capsules.filter({ hasText: 'deleted' }).first().waitFor({ timeout: 20_000 });
    expect(await inspector.element.getByRole('tab', { name: 'DLPack' }).textContent()).toContain(
      '↗ 1 outstanding'
    );
    await session.screenshots(inspector.element, 'inspector-dlpack');
  }, 60_000);

  test('another variable is compared: differences, and shared bytes', async () => {
    await inspector.showTab('Descriptor');
    await session.screenshots(inspector.element, 'inspector-descriptor');
    const select = find('.stridelab-comparison select');
    await select.focus();
    await select.locator('option', { hasText: 'transposed' }).waitFor({ state: 'attached', timeout: 20_000 });
    await select.selectOption({
      label: (await select.locator('option', { hasText: 'transposed' }).textContent()) ?? ''
    });
    await find('.stridelab-comparison [data-differs]').first().waitFor({ timeout: 20_000 });
    expect(await text('.stridelab-comparison p')).toContain('Same memory block, they overlap');
    expect(await find('.stridelab-comparison [data-differs] th').allTextContents()).toContain('shape');
    await session.screenshots(inspector.element, 'inspector-diff');
  }, 60_000);

  test.each(THEMES)(
    'is accessible in %s',
    async theme => {
      await session.lab.setTheme(theme);
      for (const tab of ['Descriptor', 'Layout', 'DLPack']) {
        await inspector.showTab(tab);
        expect([tab, await seriousFindings(inspector.element)]).toEqual([tab, []]);
      }
      expect(session.lab.complaints).toEqual([]);
    },
    60_000
  );
});
