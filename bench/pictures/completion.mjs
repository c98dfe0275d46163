/** Milliseconds from the Tab key to the first completions of a notebook that was just opened, in which no cell has run: at most 300. */

import { setTimeout as sleep } from 'node:timers/promises';

const NOTEBOOKS = 5;
const SOURCE = 'console.lo';
/** Between two keys, as a quick typist presses them. */
const KEY_MS = 80;
const AGAIN_MS = 2_000;

/** @param {import('./run.mjs').Lab} lab @returns {Promise<import('./table.mjs').Row[]>} */
export async function measure(lab) {
  /** @type {number[]} */
  const samples = [];
  for (let notebook = 0; notebook < NOTEBOOKS; notebook += 1) {
    await using session = await lab.open('completion', [''], { run: false });
    const { page } = session.lab;
    await session.lab.cell(0).locator('.cm-content').click();
    for (const key of SOURCE) {
      await page.keyboard.press(key);
      await sleep(KEY_MS);
    }
    await page.evaluate(watch);
    const completed = page.waitForFunction(() => /** @type {any} */ (window).stridelabCompleted, undefined, {
      timeout: 60_000
    });
    // JupyterLab drops completions that take longer than a second; a user would press the key again.
    for (let isDone = false; !isDone;) {
      await page.keyboard.press('Tab');
      isDone = await Promise.race([completed.then(() => true), sleep(AGAIN_MS, false)]);
    }
    samples.push(Number(await (await completed).jsonValue()));
  }
  return [{ what: 'the first completion of a notebook', unit: 'ms', samples, budget: 300 }];
}

/** Stores in the window how long after the Tab key the completions, or the only one, are in the document. */
function watch() {
  const page = /** @type {any} */ (window);
  const editor = /** @type {HTMLElement} */ (document.querySelector('.cm-content'));
  document.addEventListener(
    'keydown',
    ({ timeStamp }) => {
      new MutationObserver((_, observer) => {
        if (
          !editor.textContent?.includes('console.log') &&
          !document.querySelector('.jp-Completer:not(.lm-mod-hidden)')
        )
          return;
        observer.disconnect();
        page.stridelabCompleted = performance.now() - timeStamp;
      }).observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
        attributeFilter: ['class']
      });
    },
    { once: true, capture: true }
  );
}
