/** JupyterLab in a real browser: the one place that knows its selectors, its commands and those of the extension. */

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser, Locator, Page } from 'playwright-core';

/** What `expose_app_in_browser` puts on the window, as far as the tests use it. */
interface ExposedLab {
  readonly jupyterapp: {
    readonly restored: Promise<void>;
    readonly commands: { execute(id: string, args?: Record<string, unknown>): Promise<unknown> };
    readonly shell: {
      collapseLeft(): void;
      readonly currentWidget: {
        readonly sessionContext?: {
          readonly session: { readonly kernel: { readonly status: string } | null } | null;
        };
      } | null;
    };
  };
}

const selectors = {
  notebook: '.jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook',
  codeCell: '.jp-CodeCell',
  errorOutput: '.jp-RenderedText[data-mime-type="application/vnd.jupyter.stderr"], .jp-RenderedError',
  picture: '.stridelab-inspector[data-lifetime="snapshot"]',
  liveInspector: '.stridelab-inspector:not([data-lifetime="snapshot"])',
  rowKey: '.stridelab-key',
  rowValue: '.stridelab-value',
  status: '.stridelab-status'
};

/** JupyterLab 4.6's debugger panel raises it after each cell of any kernel that has no debugger. */
const KNOWN_OF_JUPYTERLAB = 'No active debugger session';

export type Theme = 'JupyterLab Light' | 'JupyterLab Dark';

/** Chromium for the tests in the browser; a missing one is an error that names the fix, never a skipped test. */
function chromiumPath(): string {
  const path = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  if (existsSync(path)) return path;
  throw new Error(
    `${path} does not exist: install Chromium (on Debian: apt-get install chromium) or name it with CHROMIUM_PATH`
  );
}

/** Quiet, without a GPU process, and without asking anything of the network by itself. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--force-color-profile=srgb'
    ]
  });
}

export class LabPage {
  readonly page: Page;
  readonly #complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('pageerror', error => {
      if (error.message !== KNOWN_OF_JUPYTERLAB) this.#complaints.push(error.message);
    });
  }

  /** Opens a notebook and waits until its kernel is idle. */
  static async open(
    browser: Browser,
    server: { readonly url: string; readonly token: string },
    notebook: string
  ): Promise<LabPage> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    const lab = new LabPage(page);
    await page.goto(`${server.url}/lab/tree/${notebook}?token=${server.token}`);
    await page.waitForFunction(() => 'jupyterapp' in window, undefined, { timeout: 60_000 });
    await page.locator(selectors.notebook).waitFor({ timeout: 60_000 });
    await page.waitForFunction(
      () => {
        const { jupyterapp } = window as unknown as ExposedLab;
        return jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle';
      },
      undefined,
      { timeout: 60_000 }
    );
    return lab;
  }

  /** Errors that no code of the page caught. */
  get complaints(): readonly string[] {
    return this.#complaints;
  }

  async command(id: string, args: Record<string, unknown> = {}): Promise<void> {
    await this.page.evaluate(
      async ([command, options]) => {
        await (window as unknown as ExposedLab).jupyterapp.commands.execute(command, options);
      },
      [id, args] as const
    );
  }

  /** Gives the whole width to the notebook. */
  async hideSidebar(): Promise<void> {
    await this.page.evaluate(async () => {
      const { jupyterapp } = window as unknown as ExposedLab;
      await jupyterapp.restored;
      jupyterapp.shell.collapseLeft();
    });
  }

  async setTheme(theme: Theme): Promise<void> {
    await this.command('apputils:change-theme', { theme });
    const isLight = theme === 'JupyterLab Light';
    await this.page.locator(`body[data-jp-theme-light="${isLight}"]`).waitFor({ state: 'attached' });
  }

  cell(index: number): Locator {
    return this.page.locator(selectors.notebook).locator(selectors.codeCell).nth(index);
  }

  errorOutputs(): Promise<string[]> {
    return this.page.locator(selectors.errorOutput).allTextContents();
  }

  /** Static pictures of arrays. */
  pictures(): Locator {
    return this.page.locator(selectors.picture);
  }

  liveInspector(): InspectorView {
    return new InspectorView(this.page.locator(selectors.liveInspector).first());
  }
}

/** One array inspector on the page. */
export class InspectorView {
  readonly element: Locator;

  constructor(element: Locator) {
    this.element = element;
  }

  /** The value beside a key of the descriptor table. */
  async descriptorValue(key: string): Promise<string> {
    const rows = this.#table('stridelab-descriptor').locator('tr');
    const row = rows.filter({
      has: this.element.page().locator(selectors.rowKey, { hasText: new RegExp(`^${key}$`) })
    });
    return (await row.locator(selectors.rowValue).textContent()) ?? '';
  }

  /** Each row of the streams table as its cells' texts. */
  streamRows(): Promise<string[][]> {
    return this.#table('stridelab-streams')
      .locator('tbody tr')
      .evaluateAll(rows => rows.map(row => [...row.children].map(cell => cell.textContent)));
  }

  /** Presses a button and gives what the status line says once the kernel has answered. */
  async press(button: 'Refresh' | 'Synchronize'): Promise<string> {
    await this.element.getByRole('button', { name: button }).click();
    const status = this.element.locator(`${selectors.status}:not([data-kind="pending"]):not(:empty)`);
    await status.waitFor();
    return (await status.textContent()) ?? '';
  }

  async showTab(name: string): Promise<void> {
    await this.element.getByRole('tab', { name }).click();
  }

  #table(name: string): Locator {
    return this.element.locator(`table.${name}`);
  }
}
