/** Requirements for every picture: accessibility in each theme, keyboard, narrow windows, motion, content security. */

import type { Locator } from 'playwright-core';
import { VIEW_NAMES } from '../../labextension/src/views/catalogue.ts';
import { seriousFindings } from './accessibility.ts';
import { clippedTexts, movingElements, vanishing, walkFocus } from './picture-layout.ts';
import { PicturePage, type PageTheme } from './picture-page.ts';
import { browser, samples, withSamples, type SamplePicture } from './sample-pictures.ts';
import { saveScreenshot } from './screenshot.ts';

withSamples();

/** Calls `look` with each picture, drawn on one page, and returns its findings by picture name. */
async function each<Found>(
  page: PicturePage,
  look: (view: Locator, sample: SamplePicture) => Promise<Found>
): Promise<Record<string, Found>> {
  const found: Record<string, Found> = {};
  for (const sample of samples) found[sample.name] = await look(await page.show(sample), sample);
  return found;
}

const allOf = <Found>(found: Found): Record<string, Found> =>
  Object.fromEntries(samples.map(({ name }) => [name, found]));

test('every view of the catalogue has a sample', () => {
  expect([...new Set(samples.map(({ view }) => view))].sort()).toEqual([...VIEW_NAMES].sort());
});

test.each<PageTheme>(['light', 'dark', 'high-contrast', 'light-high-contrast', 'none'])(
  'theme %s: axe-core finds nothing serious, a strict policy refuses nothing, no error, no network',
  async theme => {
    await using page = await PicturePage.open(browser, theme);
    expect(await each(page, view => seriousFindings(view))).toEqual(allOf([]));
    expect(await page.violations()).toEqual([]);
    expect(page.complaints).toEqual([]);
    // A screenshot adds a style element in Firefox.
    if (theme.endsWith('high-contrast'))
      await each(page, (view, { name }) => saveScreenshot(view, `${name}-${theme}`));
  },
  60_000
);

test('forced colours: axe-core finds nothing serious, and states are shown in words', async () => {
  await using page = await PicturePage.open(browser, 'none', { forcedColors: 'active', colorScheme: 'dark' });
  const findings = await each(page, async (view, { name }) => {
    await saveScreenshot(view, `${name}-forced-colors`);
    return seriousFindings(view);
  });
  expect(findings).toEqual(allOf([]));
}, 60_000);

test('forced colours: canvases have different colours for text and background', async () => {
  await using page = await PicturePage.open(browser, 'none', { forcedColors: 'active' });
  const view = await page.show(samples[0] as SamplePicture);
  const [ground, ink] = await view.evaluate(node =>
    ['surface', 'text'].map(name => {
      const probe = document.createElement('span');
      probe.style.color = `var(--sd-${name})`;
      node.append(probe);
      return getComputedStyle(probe).color;
    })
  );
  expect(ground).not.toBe(ink);
}, 30_000);

test.each(['light', 'dark'] as const)(
  'without variables of JupyterLab, colours follow a page that is %s, whatever the system uses',
  async scheme => {
    await using page = await PicturePage.open(browser, 'none', {
      colorScheme: scheme === 'dark' ? 'light' : 'dark'
    });
    await page.page.evaluate(wanted => void (document.documentElement.style.colorScheme = wanted), scheme);
    const view = await page.show(samples[0] as SamplePicture);
    const [red] = await view.evaluate(node =>
      getComputedStyle(node).backgroundColor.match(/\d+/g)!.map(Number)
    );
    expect(red! > 128).toBe(scheme === 'light');
  },
  30_000
);

test('700 pixels wide: in no tab is text clipped, outside or overlapping the next row', async () => {
  await using page = await PicturePage.open(browser, 'light');
  const faults = await each(page, async view => {
    const found = await clippedTexts(view);
    for (const tab of await view.getByRole('tab').all()) {
      await tab.click();
      await view.locator('[role=tabpanel]:visible').first().waitFor();
      found.push(...(await clippedTexts(view)));
    }
    return found;
  });
  expect(faults).toEqual(allOf([]));
}, 60_000);

test('no control of a picture vanishes, and with it the focus, in its first frames', async () => {
  await using page = await PicturePage.open(browser, 'light');
  const found: Record<string, string[]> = {};
  for (const sample of samples) found[sample.name] = await vanishing(page.page, () => page.show(sample));
  expect(found).toEqual(allOf([]));
}, 60_000);

test('Tab visits every picture, shows the focus, and leaves it at both ends', async () => {
  await using page = await PicturePage.open(browser, 'light');
  const walks = await each(page, () => walkFocus(page.page));
  for (const [name, { visited, unseen, leaves, returns }] of Object.entries(walks)) {
    // A card has nothing to click.
    if (name !== 'device-card') expect([name, visited]).not.toEqual([name, []]);
    expect([name, { unseen, leaves, returns }]).toEqual([name, { unseen: [], leaves: true, returns: true }]);
  }
}, 60_000);

test('reduced motion: nothing moves', async () => {
  await using page = await PicturePage.open(browser, 'light', { reducedMotion: 'reduce' });
  expect(await each(page, view => movingElements(view))).toEqual(allOf([]));
}, 30_000);

test('these checks find what is wrong with a picture', async () => {
  await using page = await PicturePage.open(browser, 'light', { reducedMotion: 'reduce' });
  const view = await page.show(samples[0] as SamplePicture);
  await view.evaluate(root => {
    const bad = (text: string, styles: Partial<CSSStyleDeclaration>): void => {
      const element = document.createElement('p');
      element.textContent = text;
      element.tabIndex = 0;
      Object.assign(element.style, { outline: 'none', ...styles });
      root.append(element);
    };
    bad('cut off where its box ends', { width: '40px', overflow: 'hidden', whiteSpace: 'nowrap' });
    bad('stands outside', { marginLeft: '680px', whiteSpace: 'nowrap' });
    bad('broken', { width: '20px', overflowWrap: 'anywhere', transition: 'color 2s' });
    const row = document.createElement('tbody').insertRow();
    Object.assign(row.style, { display: 'block' });
    const cell = row.insertCell();
    cell.textContent = 'over the next row';
    Object.assign(cell.style, { display: 'block', height: '5px' });
    root.append(row.parentElement!, document.createElement('img'));
  });
  expect((await seriousFindings(view)).map(({ rule }) => rule)).toContain('image-alt');
  const faults = (await clippedTexts(view)).map(fault => fault.split(':')[0]);
  expect(faults).toEqual(['cut', 'outside', 'broken', 'overlaps']);
  expect((await movingElements(view)).length).toBe(1);
  expect((await walkFocus(page.page)).unseen.length).toBe(3);
}, 30_000);

describe('as a module of the convention', () => {
  test('draws in a shadow tree, with its styles', async () => {
    await using page = await PicturePage.open(browser, 'light');
    for (const sample of samples) {
      const view = await page.show(sample, { shadow: true });
      expect([sample.name, await view.evaluate(node => getComputedStyle(node).boxSizing)]).toEqual([
        sample.name,
        'border-box'
      ]);
    }
  }, 30_000);

  test('follows the model, and stops when it is removed', async () => {
    await using page = await PicturePage.open(browser, 'light');
    const sample = samples.find(({ name }) => name === 'device-card') as SamplePicture;
    const view = await page.show(sample);
    const changed = { ...(sample.picture as object), name: 'Another name' };
    const listening = await page.page.evaluate(async picture => {
      const { host } = window as unknown as {
        host: { model: { set(name: string, value: unknown): void; listening: number }; end(): Promise<void> };
      };
      host.model.set('picture', picture);
      const before = host.model.listening;
      await host.end();
      return [before, host.model.listening];
    }, changed);
    expect(await view.textContent()).toContain('Another name');
    expect(listening).toEqual([3, 0]);
  }, 30_000);

  test('reports an unknown view', async () => {
    await using page = await PicturePage.open(browser, 'light');
    await page.show({ view: 'NoSuchView', picture: {} });
    expect(await page.page.locator('#place').textContent()).toContain('NoSuchView');
  }, 30_000);

  test('asks the kernel if the model has one', async () => {
    await using page = await PicturePage.open(browser, 'light');
    const sample = samples.find(({ name }) => name === 'stream-pill') as SamplePicture;
    const view = await page.show(sample, { live: true });
    await view.getByRole('button', { name: 'Synchronize' }).click();
    const sent = await page.page.evaluate(() => {
      const { model } = (
        window as unknown as { host: { model: { sent: unknown[]; emit(...event: unknown[]): void } } }
      ).host;
      model.emit('msg:custom', { kind: 'response', id: 1 }, []);
      return model.sent;
    });
    expect(sent).toEqual([{ kind: 'request', id: 1, method: 'synchronize' }]);
    await view.getByText('All submitted work is done.').waitFor({ timeout: 5_000 });
  }, 30_000);
});
