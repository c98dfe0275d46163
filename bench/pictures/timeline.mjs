/** The timeline of a trace with 100,000 operations on two streams: panning and zooming. */

const OPERATIONS = 100_000;
const STEPS = 90;

/** @param {import('./run.mjs').Lab} lab @returns {Promise<import('./table.mjs').Row[]>} */
export async function measure(lab) {
  await using session = await lab.open('timeline', [
    `import { inspect, Stream, trace, zeros } from 'stridelab';
const streams = [0, 1].map(() => new Stream({ device: 'sim:0' }));
const arrays = streams.map(stream => zeros(64, { stream }));
trace.start({ capacity: ${3 * OPERATIONS} });
for (let i = 0; i < ${OPERATIONS / 2}; i++) for (const a of arrays) i % 3 === 0 ? a.fill(i) : a.copy().dispose();
for (const stream of streams) stream.synchronize();
trace.stop();
inspect(trace);`
  ]);
  const { page } = session.lab;
  const stage = page.locator('.stridelab-trace-stage');
  await stage.waitFor({ timeout: 60_000 });
  // All records have arrived.
  await page.waitForFunction(() => {
    const text = document.querySelector('.stridelab-timeline')?.textContent ?? '';
    return text.includes('not recording') && !text.includes('Shown are');
  });
  await stage.focus();
  await stage.hover({ position: { x: 600, y: 100 } });
  const row = (/** @type {string} */ what, /** @type {number[]} */ samples) => ({
    what: `timeline, ${OPERATIONS.toLocaleString('en')} operations: ${what}`,
    unit: 'ms',
    samples,
    budget: 20
  });
  // A held key repeats about thirty times a second.
  const press = (/** @type {string} */ key) => async () => {
    for (let step = 0; step < STEPS; step += 1) {
      await page.keyboard.press(key);
      await page.waitForTimeout(30);
    }
  };
  const wheel = (/** @type {number} */ x, /** @type {number} */ y) => async () => {
    for (let step = 0; step < STEPS; step += 1) await page.mouse.wheel(x, y);
  };
  const all = () => page.keyboard.press('0');
  const rows = [];
  await all();
  rows.push(row('zooming in by the wheel, from all of it', await lab.frameTimes(page, wheel(0, -40))));
  await all();
  for (let step = 0; step < 2; step += 1) await page.keyboard.press('+');
  await page.keyboard.press('Home');
  rows.push(row('panning by the wheel, 44 % of it in sight', await lab.frameTimes(page, wheel(8, 0))));
  rows.push(row('panning by keys, 44 % of it in sight', await lab.frameTimes(page, press('ArrowLeft'))));
  for (let step = 0; step < 12; step += 1) await page.keyboard.press('+');
  rows.push(row('panning by keys, close by', await lab.frameTimes(page, press('ArrowRight'))));
  return rows;
}
