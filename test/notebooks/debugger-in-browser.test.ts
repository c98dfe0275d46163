import { errors, type Locator } from 'playwright-core';
import type { LabPage } from './lab-page.ts';
import { pass } from '../setup/until.ts';
import { lab, withSession } from './lab-session.ts';
import { saveScreenshot } from './screenshot.ts';

const cells = [
  "import { arange } from 'stridelab';\nconst grid = arange(12, { dtype: 'float32', device: 'sim:0' }).reshape(3, 4);",
  'function area(width: number, height: number): number {\n  const result = width * height;\n  return result;\n}\nconst size = area(6, 7);\nsize + grid.shape[0]!'
];

/** JupyterLab's debugger: its button in the notebook toolbar, the gutter of the cells, the panel on the right. */
class DebuggerPanel {
  readonly #lab: LabPage;

  constructor(lab: LabPage) {
    this.#lab = lab;
  }

  async enable(): Promise<void> {
    const { page } = this.#lab;
    // Disabled until JupyterLab knows that the kernel has a debugger.
    await page.locator('.jp-DebuggerBugButton[aria-disabled="false"]').waitFor({ timeout: 30_000 });
    await this.#lab.command('debugger:show-panel');
    // JupyterLab undoes a click made while it is still fetching the debugger's state, immediately or after a moment.
    const button = page.locator('.jp-DebuggerBugButton');
    for (let attempt = 0; attempt < 6; attempt += 1) {
      if ((await button.getAttribute('aria-pressed')) !== 'true') await button.click();
      if (!(await this.#hasGutters())) continue;
      await pass(1_000, 'JupyterLab does not show that no such answer is pending');
      if (await this.#hasGutters()) return;
    }
    throw new Error('the debugger could not be enabled');
  }

  /** Waits a moment for a condition. */
  async #hasGutters(): Promise<boolean> {
    try {
      await this.#lab.cell(0).locator('.cm-gutter.cm-breakpoint-gutter').waitFor({ timeout: 8_000 });
      return true;
    } catch (error) {
      if (error instanceof errors.TimeoutError) return false;
      throw error;
    }
  }

  /** Clicks beside a line, counted from 1. */
  async clickGutter(cell: number, line: number): Promise<void> {
    // The first element is the editor's own spacer.
    const row = this.#lab.cell(cell).locator('.cm-gutter.cm-breakpoint-gutter .cm-gutterElement').nth(line);
    await row.click();
    await row.locator('.cm-breakpoint-icon').waitFor({ timeout: 10_000 });
  }

  /** The line at which a cell is stopped. */
  async stoppedAt(cell: number, text: string): Promise<void> {
    const line = this.#lab.cell(cell).locator('.jp-DebuggerEditor-highlight', { hasText: text });
    await line.waitFor({ timeout: 20_000 });
  }

  async frames(): Promise<string[]> {
    await this.#lab.page.locator('.jp-DebuggerCallstackFrame').first().waitFor();
    return this.#lab.page.locator('.jp-DebuggerCallstackFrame-name').allTextContents();
  }

  /** The variable's row once the panel shows this value. */
  async variable(name: string, value: string): Promise<Locator> {
    const row = this.#lab.page
      .locator('.jp-DebuggerVariables-body .jp-TreeItem', {
        has: this.#lab.page.locator('.jp-DebuggerVariables-name', { hasText: new RegExp(`^${name}$`) })
      })
      .filter({ hasText: value });
    await row.first().waitFor({ timeout: 20_000 });
    return row.first();
  }

  async showScope(name: string): Promise<void> {
    await this.#lab.page.locator('.jp-DebuggerVariables-toolbar select').selectOption(name);
  }
}

describe("JupyterLab's debugger", () => {
  let panel: DebuggerPanel;

  withSession('debugged', cells, { run: false });
  beforeAll(() => {
    panel = new DebuggerPanel(lab);
  }, 180_000);

  test('a click next to a line stops the cell there, with its stack and its variables', async () => {
    await panel.enable();
    await panel.clickGutter(1, 2);
    // Done when the cells have run, which is after the stop.
    void lab.command('notebook:run-all-cells');
    await panel.stoppedAt(1, 'const result');
    expect(await panel.frames()).toEqual(['area', 'Cell [2]']);
    await panel.variable('width', '6');
    await panel.showScope('Cell');
    await panel.variable('grid', 'NDArray float32 (3, 4) on sim:0');
    await panel.showScope('Local');
    await panel.variable('height', '7');
    await saveScreenshot(lab.page, 'debugger-stopped');
  }, 120_000);

  test('steps and continues to the end; the variables stay in the panel', async () => {
    await lab.command('debugger:next');
    await panel.stoppedAt(1, 'return result');
    await panel.variable('result', '42');
    await lab.command('debugger:continue');
    await lab.page.locator('.jp-OutputArea-executeResult', { hasText: '45' }).waitFor({ timeout: 20_000 });
    await panel.variable('size', '42');
    await panel.variable('grid', 'NDArray float32 (3, 4) on sim:0');
  }, 60_000);

  test('stops repeatedly, also if it continues immediately, without an error on the page', async () => {
    for (let round = 0; round < 6; round += 1) {
      void lab.command('notebook:run-all-cells');
      await panel.stoppedAt(1, 'const result');
      await lab.command('debugger:continue');
      await lab.page.locator('.jp-DebuggerEditor-highlight').waitFor({ state: 'detached', timeout: 20_000 });
    }
    expect(lab.complaints).toEqual([]);
  }, 120_000);

  test('an array of the panel opens as its picture', async () => {
    const row = await panel.variable('grid', 'NDArray');
    await row.hover();
    await row.locator('.jp-DebuggerVariables-renderVariable').click();
    const picture = lab.page.locator(
      '.jp-VariableRendererPanel svg, .jp-VariableRendererPanel .stridelab-array'
    );
    await picture.first().waitFor({ timeout: 20_000 });
    await saveScreenshot(lab.page, 'debugger-array');
    expect(lab.complaints).toEqual([]);
  }, 60_000);
});
