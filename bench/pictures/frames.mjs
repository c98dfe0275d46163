/** Times between the frames that a page draws. */

/**
 * Returns the milliseconds from frame to frame while `act` runs: 16.7 if the page draws every frame of a 60 Hz screen.
 * @param {import('playwright-core').Page} page
 * @param {() => Promise<void>} act sends real wheel and key events to the page
 * @returns {Promise<number[]>}
 */
export async function frameTimes(page, act) {
  await page.evaluate(() => {
    const times = /** @type {number[]} */ ([]);
    const note = (/** @type {number} */ time) => {
      times.push(time);
      window.stridelabFrame = requestAnimationFrame(note);
    };
    window.stridelabFrames = times;
    window.stridelabFrame = requestAnimationFrame(note);
  });
  await act();
  const times = await page.evaluate(() => {
    cancelAnimationFrame(window.stridelabFrame);
    return window.stridelabFrames;
  });
  return times.slice(1).map((/** @type {number} */ time, /** @type {number} */ index) => time - times[index]);
}
