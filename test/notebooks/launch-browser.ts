/** The browser of the tests: Chromium, or Firefox where STRIDELAB_BROWSER says so (`npm run browsers`). */

import { existsSync } from 'node:fs';
import {
  chromium,
  firefox,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions
} from 'playwright-core';

export type Media = Pick<BrowserContextOptions, 'forcedColors' | 'reducedMotion' | 'colorScheme'>;

const inFirefox = process.env['STRIDELAB_BROWSER'] === 'firefox';

/** A missing browser is an error that names the fix, never a skipped test. */
function pathOf(variable: string, usual: string, name: string): string {
  const path = process.env[variable] ?? usual;
  if (existsSync(path)) return path;
  throw new Error(
    `${path} does not exist: install ${name} (on Debian: apt-get install ${usual.split('/').at(-1)}) or name it with ${variable}`
  );
}

/** Quiet, without a GPU process, and without asking anything of the network by itself. */
export function launchBrowser(): Promise<Browser> {
  if (inFirefox) return launchFirefox({});
  return chromium.launch({
    executablePath: pathOf('CHROMIUM_PATH', '/usr/bin/chromium', 'Chromium'),
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

/**
 * A browser in which pages with these options have these media, and whether it is one of its own, for the caller to close: Firefox
 * has them for all of its pages.
 */
export async function browserFor(
  browser: Browser,
  { forcedColors, reducedMotion, colorScheme }: Media
): Promise<{ readonly browser: Browser; readonly own: boolean }> {
  const wanted = [forcedColors, reducedMotion, colorScheme].some(feature => typeof feature === 'string');
  if (!inFirefox || !wanted) return { browser, own: false };
  const preferences = {
    ...(forcedColors === 'active' && { 'browser.display.document_color_use': 2 }),
    ...(reducedMotion === 'reduce' && { 'ui.prefersReducedMotion': 1 }),
    ...(colorScheme === 'dark' && { 'layout.css.prefers-color-scheme.content-override': 0 })
  };
  return { browser: await launchFirefox(preferences), own: true };
}

/** Lets pages read the clipboard without a question. */
export async function allowClipboard(context: BrowserContext): Promise<void> {
  if (!inFirefox) await context.grantPermissions(['clipboard-read', 'clipboard-write']);
}

/** Any Firefox, by WebDriver BiDi. */
function launchFirefox(preferences: Record<string, number>): Promise<Browser> {
  return firefox.launch({
    channel: 'moz-firefox',
    executablePath: pathOf('FIREFOX_PATH', '/usr/bin/firefox-esr', 'Firefox'),
    firefoxUserPrefs: { ...preferences, 'dom.events.testing.asyncClipboard': true }
  });
}
