/** JupyterLab in a real browser: the only place with its selectors, its commands and those of the extension. */

import type { Browser, Locator, Page } from 'playwright-core';
import type { Notebook } from './notebook-files.ts';

/** The parts of the window's `jupyterapp` (option `expose_app_in_browser`) that the tests use. */
interface ExposedLab {
  readonly jupyterapp: {
    readonly restored: Promise<void>;
    readonly commands: { execute(id: string, args?: Record<string, unknown>): Promise<unknown> };
    readonly shell: {
      collapseLeft(): void;
      readonly currentWidget: {
        readonly context?: { readonly path: string };
        readonly content?: { readonly model?: { toJSON(): unknown } | null };
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
  picture: '.stridelab-array, .stridelab-inspector[data-lifetime="snapshot"]',
  liveInspector: '.stridelab-inspector:not([data-lifetime="snapshot"])',
  rowKey: '.stridelab-key',
  rowValue: '.stridelab-value',
  status: '.stridelab-status',
  editor: '.cm-content',
  output: '.jp-OutputArea-output',
  completer: '.jp-Completer:not(.lm-mod-hidden)',
  completion: '.jp-Completer-item',
  completionKind: '.jp-Completer-typeExtended',
  stdin: '.jp-Stdin-input',
  splash: '#jupyterlab-splash',
  dialogAccept: '.jp-Dialog .jp-mod-accept'
};

/** Errors that the applications' own code raises with any kernel. */
const KNOWN_OF_JUPYTER = new Set([
  // JupyterLab 4.6's debugger panel, after each cell of a kernel that has no debugger.
  'No active debugger session',
  // JupyterLab's debugger panel, if a notebook is closed during its request.
  'Canceled future for debug_request message before replies were done',
  // The widget manager, if a kernel is restarted during its request.
  'Error: Canceled future for create_subshell_request message before replies were done',
  // Notebook 7.6 during its start.
  "Cannot read properties of undefined (reading 'schema')",
  "Command 'filebrowser:open-path' not registered."
]);

/** JupyterLab, or Notebook 7, which is another page of the same server. */
export type Application = 'lab/tree' | 'notebooks';

export type Theme = 'JupyterLab Light' | 'JupyterLab Dark' | 'JupyterLab Dark High Contrast';

export class LabPage {
  readonly page: Page;
  readonly #complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('pageerror', error => {
      if (!KNOWN_OF_JUPYTER.has(error.message)) this.#complaints.push(error.stack || String(error));
    });
    page.on('console', message => {
      const { url } = message.location();
      if (message.type() === 'error' && /stridelab/i.test(`${url} ${message.text()}`))
        this.#complaints.push(`${url}: ${message.text()}`);
    });
  }

  /** Opens a notebook and waits until its kernel is idle, or busy if a cell is already running. */
  static async open(
    browser: Browser,
    server: { readonly url: string; readonly token: string },
    notebook: string,
    application: Application = 'lab/tree',
    status: 'idle' | 'busy' = 'idle'
  ): Promise<LabPage> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    const lab = new LabPage(page);
    // Drawn without a GPU, the splash costs as much as the rest of a change of themes.
    await page.addInitScript(selector => {
      const still = new CSSStyleSheet();
      still.replaceSync(`${selector} * { animation: none !important; }`);
      document.adoptedStyleSheets = [still];
    }, selectors.splash);
    await page.goto(`${server.url}/${application}/${notebook}?token=${server.token}`);
    await page.waitForFunction(() => 'jupyterapp' in window, undefined, { timeout: 60_000 });
    await page.locator(selectors.notebook).waitFor({ timeout: 60_000 });
    await lab.kernelIs(status);
    return lab;
  }

  /** Opens another notebook on the same page and waits until its kernel is idle. */
  async show(notebook: string): Promise<void> {
    await this.command('docmanager:open', { path: notebook });
    await this.page.waitForFunction(path => {
      const { jupyterapp } = window as unknown as ExposedLab;
      return jupyterapp.shell.currentWidget?.context?.path === path;
    }, notebook);
    await this.kernelIs('idle');
  }

  /** The notebook as it would be saved, including outputs that are scrolled out of view. */
  contents(): Promise<Notebook> {
    return this.page.evaluate(() => {
      const { jupyterapp } = window as unknown as ExposedLab;
      return jupyterapp.shell.currentWidget?.content?.model?.toJSON() as Notebook;
    });
  }

  /** Uncaught errors of the page, and errors of the extension on its console. */
  get complaints(): readonly string[] {
    return this.#complaints;
  }

  /** Waits for a status of the notebook's kernel. */
  async kernelIs(status: 'idle' | 'busy'): Promise<void> {
    await this.page.waitForFunction(
      wanted => {
        const { jupyterapp } = window as unknown as ExposedLab;
        return jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === wanted;
      },
      status,
      { timeout: 60_000 }
    );
  }

  async command(id: string, args: Record<string, unknown> = {}): Promise<void> {
    await this.page.evaluate(
      async ([command, options]) => {
        await (window as unknown as ExposedLab).jupyterapp.commands.execute(command, options);
      },
      [id, args] as const
    );
  }

  /** Selects one of a setting's options, by its title, in the settings editor. */
  async choose(setting: string, option: string): Promise<void> {
    await this.command('settingeditor:open', { query: 'Stridelab' });
    const select = this.page.locator(`select[id$="_${setting}"]`);
    // It saves a moment after the selection.
    const saved = this.page.waitForResponse(
      response => response.request().method() === 'PUT' && response.url().includes('api/settings')
    );
    await select.selectOption({ label: option });
    await saved;
    await this.command('application:close');
    await select.waitFor({ state: 'detached' });
  }

  /** Gives the full width to the notebook. */
  async hideSidebar(): Promise<void> {
    await this.page.evaluate(async () => {
      const { jupyterapp } = window as unknown as ExposedLab;
      await jupyterapp.restored;
      jupyterapp.shell.collapseLeft();
    });
  }

  /** Resolves when JupyterLab's splash for the change has disappeared: it cannot handle another change before. */
  async setTheme(theme: Theme): Promise<void> {
    const shown = this.page.locator(`body[data-jp-theme-name="${theme}"]`);
    if ((await shown.count()) > 0) return;
    await this.command('apputils:change-theme', { theme });
    await shown.waitFor({ state: 'attached' });
    await this.page.locator(selectors.splash).waitFor({ state: 'detached' });
  }

  cell(index: number): Locator {
    return this.page.locator(selectors.notebook).locator(selectors.codeCell).nth(index);
  }

  /** Types a cell as a user would, with the cursor at its end. */
  async write(index: number, source: string): Promise<void> {
    await this.cell(index).locator(selectors.editor).click();
    await this.page.keyboard.press('Control+A');
    await this.page.keyboard.insertText(source);
  }

  /** Runs a cell without waiting for it. */
  async start(index: number, source: string): Promise<void> {
    await this.write(index, source);
    await this.page.keyboard.press('Control+Enter');
  }

  /** Runs a cell to its end and returns the text of its outputs. */
  async run(index: number, source: string): Promise<string> {
    await this.write(index, source);
    await this.command('notebook:run-cell');
    // JupyterLab renders the content of outputs after the cell has ended.
    await this.page.waitForFunction(([cell, selector]) => cell.querySelector(`${selector}:empty`) === null, [
      await this.cell(index).elementHandle(),
      selectors.output
    ] as const);
    return (await this.outputs(index).allTextContents()).join('\n');
  }

  /** Runs an endless loop in a cell and stops it with the toolbar's button. */
  async interruptLoop(index: number): Promise<void> {
    await this.write(index, 'console.log("looping");\nwhile (true) {}');
    const stop = async (): Promise<void> => {
      await this.outputs(index).getByText('looping').waitFor({ timeout: 30_000 });
      await this.pressToolbar('notebook:interrupt-kernel');
      await this.outputs(index).getByText('Interrupted').first().waitFor({ timeout: 30_000 });
    };
    // The kernel's status is no sign of the cell's end: requests of the page make it busy and idle too.
    await Promise.all([this.command('notebook:run-cell'), stop()]);
  }

  outputs(index: number): Locator {
    return this.cell(index).locator(selectors.output);
  }

  /** Requests completions at the cursor, and returns the popup's entries with their kinds. */
  async completions(): Promise<{ readonly name: string; readonly kind: string }[]> {
    const popup = this.page.locator(selectors.completer);
    // The page has a short timeout, and the first response may be slow on a busy machine.
    for (let attempt = 1; !(await popup.isVisible()); attempt += 1) {
      await this.page.keyboard.press('Tab');
      await popup.waitFor({ timeout: 3_000 }).catch((error: unknown) => {
        if (attempt === 8) throw error;
      });
    }
    return popup.locator(selectors.completion).evaluateAll(
      (items, kind) =>
        items.map(item => ({
          name: item.getAttribute('data-value') ?? '',
          kind: item.querySelector(kind)?.textContent ?? ''
        })),
      selectors.completionKind
    );
  }

  /** Fills in the box with which a cell requests a line. */
  async answer(text: string): Promise<void> {
    const box = this.page.locator(selectors.stdin);
    await box.waitFor({ timeout: 20_000 });
    await box.fill(text);
    await box.press('Enter');
  }

  /** Clicks a button of the notebook toolbar, identified by its command. */
  async pressToolbar(command: string): Promise<void> {
    await this.page.locator(`.jp-Toolbar [data-command="${command}"]`).first().click();
  }

  /** Accepts the open dialog. */
  async accept(): Promise<void> {
    await this.page.locator(selectors.dialogAccept).click();
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

  /** Clicks a button and returns the status line once the kernel has replied. */
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
