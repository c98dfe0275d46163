import { errors, type Locator } from 'playwright-core';
import type { LabPage } from './lab-page.ts';
import { pass } from '../setup/until.ts';

/** JupyterLab's debugger: its button in the notebook toolbar, the gutter of the cells, the panel on the right. */
export class DebuggerPanel {
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
    const icon = row.locator('.cm-breakpoint-icon');
    // JupyterLab 4.0 writes a character.
    await icon.or(row.filter({ hasText: '●' })).waitFor({ timeout: 10_000 });
  }

  /** Clicks beside a line that has a breakpoint. */
  async clearGutter(cell: number, line: number): Promise<void> {
    const row = this.#lab.cell(cell).locator('.cm-gutter.cm-breakpoint-gutter .cm-gutterElement').nth(line);
    await row.click();
    await row.locator('.cm-breakpoint-icon').waitFor({ state: 'detached', timeout: 10_000 });
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
      .locator('.jp-DebuggerVariables-body :is(.jp-TreeItem, li)', {
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
