/**
 * A page without JupyterLab or a network that draws pictures with the module for other hosts, under a strict content security
 * policy and in the colours of one of JupyterLab's themes.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { root } from '../setup/repository.ts';
import { browserFor } from './launch-browser.ts';

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:";
const ORIGIN = 'http://pictures.test';

const themes = join(root, '.venv', 'share', 'jupyter', 'lab', 'themes', '@jupyterlab');
const THEME_FILES = {
  light: join(themes, 'theme-light-extension', 'index.css'),
  dark: join(themes, 'theme-dark-extension', 'index.css'),
  'high-contrast': join(themes, 'theme-dark-high-contrast-extension', 'index.css'),
  // JupyterLab has no such theme: this is its light one, with the variables below in high-contrast colours.
  'light-high-contrast': join(themes, 'theme-light-extension', 'index.css'),
  /** Only the styles that the views themselves include. */
  none: null
} as const;
export type PageTheme = keyof typeof THEME_FILES;

const MATERIAL_COLOURS = join(root, 'node_modules', '@jupyterlab', 'apputils', 'style', 'materialcolors.css');

/** A host of the widget convention, as other projects write it: a model with events, and an element. */
const HOST = `
  import pictures from './stridelab.js';

  class Model {
    #values; #listeners = new Map(); sent = [];
    constructor(values, sends) {
      this.#values = values;
      if (sends) this.send = (content, callbacks, buffers) => this.sent.push(content);
    }
    get(name) { return this.#values[name]; }
    set(name, value) { this.#values[name] = value; this.emit('change:' + name); }
    save_changes() {}
    on(event, listener) { this.#listeners.set(event, [...this.#listeners.get(event) ?? [], listener]); }
    off(event, listener) { this.#listeners.set(event, (this.#listeners.get(event) ?? []).filter(other => other !== listener)); }
    emit(event, ...details) { for (const listener of this.#listeners.get(event) ?? []) listener(...details); }
    get listening() { return [...this.#listeners.values()].flat().length; }
  }

  const violations = [];
  document.addEventListener('securitypolicyviolation', event => violations.push(event.violatedDirective + ' ' + event.sample));
  const place = document.querySelector('#place');
  let cleanup = () => {};
  const host = {
    violations,
    async show(values, { live = false, shadow = false } = {}) {
      await cleanup();
      const element = document.createElement('div');
      const holder = document.createElement('div');
      place.replaceChildren(holder);
      (shadow ? holder.attachShadow({ mode: 'open' }) : holder).append(element);
      host.model = new Model({ live, ...values }, live);
      cleanup = await pictures.render({ model: host.model, el: element, signal: new AbortController().signal });
    },
    end: () => cleanup()
  };
  window.host = host;
`;

const pageSource = (
  theme: PageTheme
): string => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Pictures</title><link rel="icon" href="data:,">
  ${theme === 'none' ? '' : '<link rel="stylesheet" href="colours.css"><link rel="stylesheet" href="theme.css">'}
  <link rel="stylesheet" href="page.css"></head>
  <body class="jp-ThemedContainer"><main><button id="before">before</button><div id="place"></div><button id="after">after</button></main>
  <script type="module" src="host.js"></script></body></html>`;

/** The width of a notebook's output in a narrow window. */
const NARROW = 700;
const STYLE =
  'body { margin: 0; background: var(--jp-layout-color0, Canvas); color: var(--jp-ui-font-color0, CanvasText); }';

/** Black on white, and colours with a contrast of at least 7 to 1 with white. */
const LIGHT_HIGH_CONTRAST = `:root {
  --jp-layout-color0: #fff; --jp-layout-color1: #fff; --jp-layout-color2: #fff; --jp-layout-color3: #e8e8e8;
  --jp-ui-font-color0: #000; --jp-ui-font-color1: #000; --jp-ui-font-color2: #000; --jp-ui-font-color3: #333;
  --jp-border-color0: #000; --jp-border-color1: #000; --jp-border-color2: #333; --jp-border-color3: #333;
  --jp-brand-color1: #0b3d91; --jp-success-color1: #0b5a1a; --jp-info-color1: #00525c; --jp-warn-color1: #7a3d00; --jp-error-color1: #a30000;
}`;

export interface PageOptions extends BrowserContextOptions {
  /** CSS pixels of a picture. */
  readonly width?: number;
  /** The scale of text, as users set it in JupyterLab. */
  readonly text?: number;
}

export interface Shown {
  readonly view: string;
  readonly picture: unknown;
}

export class PicturePage implements AsyncDisposable {
  readonly page: Page;
  /** Uncaught errors of the page, and its network requests. */
  readonly complaints: string[] = [];

  readonly #ownBrowser: Browser | undefined;

  private constructor(page: Page, ownBrowser: Browser | undefined) {
    this.page = page;
    this.#ownBrowser = ownBrowser;
    page.on('pageerror', error => this.complaints.push(error.message));
  }

  static async open(
    browser: Browser,
    theme: PageTheme,
    { width = NARROW, text = 1, ...options }: PageOptions = {}
  ): Promise<PicturePage> {
    const { browser: shown, own } = await browserFor(browser, options);
    const page = await shown.newPage({ viewport: { width: width + 40, height: 900 }, ...options });
    const opened = new PicturePage(page, own ? shown : undefined);
    const file = THEME_FILES[theme];
    const files: Readonly<Record<string, () => string>> = {
      '/': () => pageSource(theme),
      '/host.js': () => HOST,
      '/page.css': () =>
        [
          STYLE,
          `#place { width: ${width}px; }`,
          theme === 'light-high-contrast' ? LIGHT_HIGH_CONTRAST : '',
          text === 1
            ? ''
            : `:root { --jp-ui-font-size1: ${13 * text}px; --jp-code-font-size: ${13 * text}px; }`
        ].join('\n'),
      '/colours.css': () => readFileSync(MATERIAL_COLOURS, 'utf8'),
      '/theme.css': () => (file === null ? '' : readFileSync(file, 'utf8')),
      '/stridelab.js': () => readFileSync(join(root, 'dist', 'afm', 'stridelab.js'), 'utf8')
    };
    const types: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css' };
    await page.route('**/*', async route => {
      const { origin, pathname } = new URL(route.request().url());
      const source = origin === ORIGIN ? files[pathname] : undefined;
      if (source === undefined) {
        opened.complaints.push(`asked for ${route.request().url()}`);
        return route.abort();
      }
      const contentType = types[pathname.split('.').at(-1) ?? ''] ?? 'text/html';
      return route.fulfill({ contentType, body: source(), headers: { 'content-security-policy': POLICY } });
    });
    await page.goto(`${ORIGIN}/`);
    await page.waitForFunction(() => 'host' in window);
    return opened;
  }

  /** Draws a picture in place of the previous one. */
  async show(
    { view, picture }: Shown,
    options: { readonly live?: boolean; readonly shadow?: boolean } = {}
  ): Promise<Locator> {
    await this.page.evaluate(
      ([values, how]) =>
        (window as unknown as { host: { show(values: object, how: object): Promise<void> } }).host.show(
          values,
          how
        ),
      [{ view, picture }, options] as const
    );
    return this.page.locator('#place .stridelab-view').first();
  }

  /** Violations of the content security policy. */
  violations(): Promise<string[]> {
    return this.page.evaluate(
      () => (window as unknown as { host: { violations: string[] } }).host.violations
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.close();
    await this.#ownBrowser?.close();
  }
}
