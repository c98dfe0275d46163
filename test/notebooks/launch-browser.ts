/** The tests' browser: Chromium, or Firefox if STRIDELAB_BROWSER selects it (`npm run browsers`). */

import { existsSync } from 'node:fs';
import {
  chromium,
  firefox,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions
} from 'playwright-core';
import { findChromium } from '../../scripts/setup/browser.mjs';

export type Media = Pick<BrowserContextOptions, 'forcedColors' | 'reducedMotion' | 'colorScheme'>;

const inFirefox = process.env['STRIDELAB_BROWSER'] === 'firefox';

/** Silent, without a GPU process, and without automatic network requests. */
export function launchBrowser(): Promise<Browser> {
  if (inFirefox) return launchFirefox({});
  return chromium.launch({
    ...findChromium(),
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
 * A browser whose pages can emulate these media features, and whether it was launched for this call and must be closed: Firefox
 * sets them for all of its pages.
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

/** Lets pages read the clipboard without a prompt. */
export async function allowClipboard(context: BrowserContext): Promise<void> {
  if (!inFirefox) await context.grantPermissions(['clipboard-read', 'clipboard-write']);
}

/** Any Firefox, through WebDriver BiDi. If it is missing, the error names the fix; the test is never skipped. */
function launchFirefox(preferences: Record<string, number>): Promise<Browser> {
  const executablePath = process.env['FIREFOX_PATH'] ?? '/usr/bin/firefox-esr';
  if (!existsSync(executablePath))
    throw new Error(
      `${executablePath} does not exist: install Firefox (on Debian: apt-get install firefox-esr) or name it with FIREFOX_PATH`
    );
  return firefox.launch({
    channel: 'moz-firefox',
    executablePath,
    firefoxUserPrefs: { ...preferences, 'dom.events.testing.asyncClipboard': true }
  });
}
