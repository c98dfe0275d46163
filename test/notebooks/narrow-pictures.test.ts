/** Pictures in small spaces: 390 pixels, as on a phone; at 200 %; with large text. Every tab, every fold. */

import type { Locator } from 'playwright-core';
import { seriousFindings } from './accessibility.ts';
import { clippedTexts, overflowing } from './picture-layout.ts';
import { PicturePage, type PageOptions, type PageTheme } from './picture-page.ts';
import { browser, samples, withSamples, type SamplePicture } from './sample-pictures.ts';
import { saveScreenshot } from './screenshot.ts';

withSamples();

/** Opens each visible fold, then calls `look`. */
async function unfolded<Found>(view: Locator, look: () => Promise<Found[]>): Promise<Found[]> {
  await view.evaluate(root => {
    const folds = 'details:not([open]) > summary, [aria-expanded=false]';
    for (const fold of root.querySelectorAll<HTMLElement>(folds)) if (fold.checkVisibility()) fold.click();
  });
  return look();
}

/** The findings of `look` in each tab of a picture. */
async function eachTab(view: Locator, look: (tab: string) => Promise<string[]>): Promise<string[]> {
  const found = await unfolded(view, () => look(''));
  for (const tab of await view.getByRole('tab').all()) {
    await tab.click();
    await view.locator('[role=tabpanel]:visible').first().waitFor();
    const name = (await tab.textContent()) ?? '';
    found.push(...(await unfolded(view, () => look(name.toLowerCase()))).map(fault => `${name}: ${fault}`));
  }
  return found;
}

const SITUATIONS: readonly (readonly [name: string, options: PageOptions])[] = [
  ['390', { width: 390 }],
  ['200-percent', { width: 560, deviceScaleFactor: 2 }],
  ['large-text', { width: 1000, text: 2 }]
];

test.each(SITUATIONS)(
  '%s: nothing is clipped, and nothing overflows',
  async (name, options) => {
    await using page = await PicturePage.open(browser, 'light', options);
    const found: Record<string, string[]> = {};
    for (const sample of samples) {
      const view = await page.show(sample);
      found[sample.name] = await eachTab(view, async tab => {
        const file = [sample.name, tab.replaceAll(/\W+/g, '-'), name].filter(Boolean).join('-');
        await saveScreenshot(view, file);
        return [...(await overflowing(view)), ...(await clippedTexts(view))];
      });
    }
    expect(found).toEqual(Object.fromEntries(samples.map(sample => [sample.name, []])));
  },
  120_000
);

test.each<readonly [string, PageTheme, PageOptions]>([
  ['light high contrast', 'light-high-contrast', { contrast: 'more' }],
  ['forced colours on white', 'none', { forcedColors: 'active', colorScheme: 'light' }]
])(
  '%s: axe-core finds nothing serious in any tab',
  async (name, theme, options) => {
    await using page = await PicturePage.open(browser, theme, options);
    const found: Record<string, string[]> = {};
    for (const sample of samples) {
      const view = await page.show(sample);
      found[sample.name] = await eachTab(view, async tab => {
        const file = [sample.name, tab.replaceAll(/\W+/g, '-'), name.replaceAll(' ', '-')]
          .filter(Boolean)
          .join('-');
        await saveScreenshot(view, file);
        return (await seriousFindings(view)).map(({ rule, where }) => `${rule} ${where.join()}`);
      });
    }
    expect(found).toEqual(Object.fromEntries(samples.map(sample => [sample.name, []])));
  },
  120_000
);

test('a tap on a bar of the timeline shows its details', async () => {
  await using page = await PicturePage.open(browser, 'light', { width: 390, hasTouch: true });
  const view = await page.show(samples.find(({ name }) => name === 'trace') as SamplePicture);
  const tip = view.getByRole('tooltip');
  const stage = view.locator('.stridelab-trace-stage');
  const { width, height } = (await stage.boundingBox())!;
  for (let y = height - 14; y > 60 && !(await tip.isVisible()); y -= 12)
    for (let x = 150; x < width && !(await tip.isVisible()); x += 16)
      await page.page.touchscreen.tap((await stage.boundingBox())!.x + x, (await stage.boundingBox())!.y + y);
  await tip.getByText(/duration/).waitFor();
  expect(await overflowing(view)).toEqual([]);
  await saveScreenshot(view, 'trace-finger-390');
}, 60_000);
