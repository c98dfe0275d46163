/** A notebook with given cells, run in JupyterLab in a browser: the start of every test of a picture. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { startLabServer } from '../../scripts/lab/server.mjs';
import { root } from '../setup/repository.ts';
import { LabPage, type Application, type Theme } from './lab-page.ts';
import { launchBrowser } from './launch-browser.ts';
import { writeNotebook, type Notebook } from './notebook-files.ts';
import { saveScreenshot } from './screenshot.ts';

export const THEMES: readonly (readonly [Theme, string])[] = [
  ['JupyterLab Light', 'light'],
  ['JupyterLab Dark', 'dark']
];

interface SessionOptions {
  /** A notebook whose cells come first. */
  readonly base?: Notebook;
  readonly run?: boolean;
  /** A virtual environment with another version; by default `.venv`. */
  readonly environment?: string;
  readonly application?: Application;
}

export class LabSession implements AsyncDisposable {
  readonly server: Awaited<ReturnType<typeof startLabServer>>;
  readonly browser: Browser;
  readonly lab: LabPage;

  private constructor(server: LabSession['server'], browser: Browser, lab: LabPage) {
    this.server = server;
    this.browser = browser;
    this.lab = lab;
  }

  /** Opens a notebook with these cells under `build/NAME`, by default in JupyterLab, and runs all of them by default. */
  static async start(
    name: string,
    sources: readonly string[],
    { base, run = true, environment, application = 'lab/tree' }: SessionOptions = {}
  ): Promise<LabSession> {
    const folder = join(root, 'build', name);
    rmSync(folder, { recursive: true, force: true });
    writeNotebook(name, `${name}.ipynb`, sources, base);
    const exposed = ['LabApp', 'JupyterNotebookApp'].map(app => `--${app}.expose_app_in_browser=True`);
    const starting = [
      startLabServer({ folder, more: exposed, ...(environment && { environment }) }),
      launchBrowser()
    ] as const;
    try {
      const [server, browser] = await Promise.all(starting);
      const lab = await LabPage.open(browser, server, `${name}.ipynb`, application);
      if (application === 'lab/tree') await lab.hideSidebar();
      if (run) await lab.command('notebook:run-all-cells');
      return new LabSession(server, browser, lab);
    } catch (error) {
      const [server, browser] = await Promise.allSettled(starting);
      if (browser.status === 'fulfilled') await browser.value.close();
      if (server.status === 'fulfilled') await server.value.stop();
      throw error;
    }
  }

  /** Saves a screenshot of an element in each theme, as `build/screenshots/NAME-light.png` and `NAME-dark.png`. */
  async screenshots(element: Locator, name: string): Promise<void> {
    for (const [theme, suffix] of THEMES) {
      await this.lab.setTheme(theme);
      await element.scrollIntoViewIfNeeded();
      await saveScreenshot(element, `${name}-${suffix}`);
    }
    await this.lab.setTheme('JupyterLab Light');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.browser.close(), this.server.stop()]);
  }
}

export let session: LabSession;
/** The page of `session`. */
export let lab: LabPage;

/** One session for all tests of a file or of a `describe`. */
export function withSession(...options: Parameters<typeof LabSession.start>): void {
  beforeAll(async () => {
    session = await LabSession.start(...options);
    ({ lab } = session);
  }, 180_000);
  afterAll(() => session?.[Symbol.asyncDispose](), 30_000);
}
