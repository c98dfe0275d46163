/** The kernel from a user's view, in one JupyterLab and one Notebook 7 of one server and one Chromium. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { startLabServer } from '../../scripts/lab/server.mjs';
import { root } from '../setup/repository.ts';
import { LabPage, type Theme } from './lab-page.ts';
import { launchBrowser } from './launch-browser.ts';
import { writeNotebook } from './notebook-files.ts';
import { saveScreenshot } from './screenshot.ts';

const folder = 'kernel-browser-test';

let server: Awaited<ReturnType<typeof startLabServer>>;
let browser: Browser;

beforeAll(async () => {
  rmSync(join(root, 'build', folder), { recursive: true, force: true });
  writeNotebook(folder, 'kernel.ipynb', ['', '', '']);
  writeNotebook(folder, 'classic.ipynb', ['', '']);
  const exposed = ['LabApp', 'JupyterNotebookApp'].map(app => `--${app}.expose_app_in_browser=True`);
  [server, browser] = await Promise.all([
    startLabServer({ folder: join(root, 'build', folder), more: exposed }),
    launchBrowser()
  ]);
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await server?.stop();
}, 30_000);

describe('a notebook in JupyterLab', () => {
  let lab: LabPage;
  beforeAll(async () => {
    lab = await LabPage.open(browser, server, 'kernel.ipynb');
    await lab.hideSidebar();
  }, 90_000);

  test('the completion popup names members with their kinds', async () => {
    expect(await lab.run(0, 'const ages = new Map([["Ada", 36]]);\nages.size')).toContain('1');
    await lab.write(1, 'ages.');
    const completions = await lab.completions();
    await saveScreenshot(lab.page, 'completion');
    expect(completions).toEqual(
      expect.arrayContaining([
        { name: 'forEach', kind: 'method' },
        { name: 'size', kind: 'field' }
      ])
    );
    await lab.page.keyboard.press('Escape');
  }, 60_000);

  test('the interrupt button stops a busy loop, and the variables stay', async () => {
    await lab.interruptLoop(1);
    expect(await lab.run(1, 'ages.get("Ada")')).toContain('36');
  }, 60_000);

  test('a cell that asks gets the text typed into its box', async () => {
    await lab.start(1, 'const answer = await input("Your name? ");\nanswer.toUpperCase()');
    await lab.answer('grace');
    await lab.kernelIs('idle');
    expect((await lab.outputs(1).allTextContents()).join()).toContain("'GRACE'");
  }, 60_000);

  test('lines that a program redraws are replaced, and stay in their last state', async () => {
    const draw =
      "const draw = (n: number) => process.stdout.write(`${n > 0 ? '\\x1b[2A\\x1b[J' : '\\x1b[?25l'}\\x1b[32m✔\\x1b[39m first ${n}\\n⠋ second ${n}\\n`);";
    const first = 'for (let n = 0; n < 50; n++) draw(n);';
    const last = "draw(50); process.stdout.write('\\x1b[?25h'); console.log('after');";
    await lab.start(1, `${draw}\n${first}\nawait input('Go on?');\n${last}`);
    await lab.answer('yes');
    await lab.kernelIs('idle');
    await saveScreenshot(lab.page, 'drawn-lines');
    const texts = (await lab.outputs(1).allTextContents()).join('|');
    expect(texts).toMatch(/✔ first 50\n⠋ second 50/);
    expect(texts.match(/first/g)).toHaveLength(1);
    expect(texts).toContain('after');
  }, 60_000);

  test('type errors are shown under the cell with their code, and the cell has run', async () => {
    await lab.run(1, 'const wrong: number = "text";\nwrong');
    const report = lab.outputs(1).filter({ hasText: 'TS2322' });
    await report.waitFor({ timeout: 20_000 });
    await saveScreenshot(lab.page, 'types');
    expect(await report.textContent()).toContain("'string' is not assignable to type 'number'");
    expect((await lab.outputs(1).allTextContents()).join()).toContain("'text'");
  }, 60_000);

  test.each<[Theme, string]>([
    ['JupyterLab Light', 'output-light'],
    ['JupyterLab Dark', 'output-dark']
  ])(
    'tables, progress and markup are readable in %s',
    async (theme, file) => {
      await lab.setTheme(theme);
      await lab.run(
        1,
        [
          'for (const _ of progress([1, 2, 3])) { }',
          'display(html`<b id="marked">${"<escaped>"}</b>`);',
          'console.error("on stderr");',
          'table([{ name: "Ada", born: 1815 }, { name: "Grace", born: 1906 }])'
        ].join('\n')
      );
      const outputs = lab.outputs(1);
      expect(await outputs.locator('#marked').textContent()).toBe('<escaped>');
      const rows = await outputs.locator('table tbody tr').allTextContents();
      expect(rows.map(row => row.replace(/\s+/g, ' '))).toEqual([
        expect.stringContaining('1815'),
        expect.stringContaining('1906')
      ]);
      expect((await outputs.allTextContents()).join('\n')).toMatch(/3\s*\/\s*3/);
      await lab.cell(1).scrollIntoViewIfNeeded();
      await saveScreenshot(lab.page, file);
      // Text in the colour of its background cannot be read.
      const colours = await outputs
        .locator('table td')
        .first()
        .evaluate(cell => {
          const behind = (element: Element | null): string => {
            if (element === null) return 'none';
            const { backgroundColor } = getComputedStyle(element);
            return /, 0\)$/.test(backgroundColor) ? behind(element.parentElement) : backgroundColor;
          };
          return { text: getComputedStyle(cell).color, ground: behind(cell) };
        });
      expect(contrast(colours.text, colours.ground)).toBeGreaterThan(4.5);
    },
    60_000
  );

  test('the restart button starts a new kernel', async () => {
    await lab.pressToolbar('notebook:restart-kernel');
    await lab.accept();
    await lab.kernelIs('idle');
    expect(await lab.run(2, 'typeof ages')).toContain("'undefined'");
  }, 60_000);

  test('the page had no errors', () => {
    expect(lab.complaints).toEqual([]);
  });
});

describe('a notebook in Notebook 7', () => {
  test('runs cells, and shows the static picture of an array', async () => {
    const page = await LabPage.open(browser, server, 'classic.ipynb', 'notebooks');
    expect(await page.run(0, '[1, 2, 3].map(n => n ** 2)')).toContain('[ 1, 4, 9 ]');
    await page.run(1, 'import { arange } from "stridelab";\narange(6).reshape(2, 3)');
    await page.pictures().first().waitFor({ timeout: 20_000 });
    await saveScreenshot(page.page, 'notebook-7');
    expect(await page.errorOutputs()).toEqual([]);
    expect(page.complaints).toEqual([]);
  }, 90_000);
});

/** WCAG 2.2 contrast ratio of two colours as `getComputedStyle` gives them. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(part => {
      const value = Number(part) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}
