/** Pictures of pages for people to look at. */

import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { root } from '../setup/repository.ts';

/** Saves a screenshot as `build/screenshots/NAME.png`. */
export async function saveScreenshot(of: Locator | Page, name: string): Promise<void> {
  await of.screenshot({ path: join(root, 'build', 'screenshots', `${name}.png`), animations: 'disabled' });
}
