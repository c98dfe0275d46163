/** The Arrays panel with 10,000 live arrays: frame times of scrolling, time until they are listed, and cost for a cell. */

const ARRAYS = 10_000;
/** Milliseconds from frame to frame: 50 frames per second. */
const FRAME_BUDGET = 20;

const MAKE = `import { zeros } from 'stridelab';
const all = Array.from({ length: ${ARRAYS} }, (_, i) => zeros([1 + (i % 7), 16]));`;
/** Many uses of a listed array, to measure the cost of observing it. */
const USE = `const one = all[0]!;
one.synchronize();
const began = performance.now();
for (let i = 0; i < 2000; i += 1) one.fill(i % 2);
one.synchronize();
console.log('took ' + (performance.now() - began) / 2);`;

/** @param {import('./run.mjs').Lab} lab */
export async function measure(lab) {
  await using session = await lab.open('sidebar', [MAKE, USE]);
  const { page } = session.lab;
  const panel = page.locator('#stridelab-arrays');
  const use = async () => {
    const samples = [];
    for (let i = 0; i < 5; i += 1) {
      await session.lab.run(1, USE);
      const printed = (await session.lab.outputs(1).allTextContents()).join('');
      samples.push(Number(/took ([\d.]+)/.exec(printed)?.[1]));
    }
    return samples;
  };
  await page.getByText('[2]:', { exact: true }).waitFor({ timeout: 120_000 });
  const hidden = await use();

  const began = Date.now();
  await session.lab.command('stridelab:show-arrays');
  await panel.getByText(`${ARRAYS.toLocaleString('en-US')} arrays ·`).waitFor({ timeout: 60_000 });
  const listed = Date.now() - began;
  const watched = await use();

  const list = panel.getByRole('treegrid');
  await list.hover();
  const wheel = await lab.frameTimes(page, async () => {
    for (let i = 0; i < 120; i += 1) {
      await page.mouse.wheel(0, 700);
      await page.waitForTimeout(16);
    }
  });
  await list.focus();
  const keys = await lab.frameTimes(page, async () => {
    for (let i = 0; i < 60; i += 1) await page.keyboard.press(i % 2 === 0 ? 'PageDown' : 'ArrowDown');
  });
  return [
    {
      what: `Arrays panel: ${ARRAYS} arrays, wheel`,
      unit: 'ms a frame',
      samples: wheel,
      budget: FRAME_BUDGET
    },
    { what: `Arrays panel: ${ARRAYS} arrays, keys`, unit: 'ms a frame', samples: keys, budget: FRAME_BUDGET },
    { what: `Arrays panel: ${ARRAYS} arrays listed`, unit: 'ms', samples: [listed] },
    { what: 'one fill, panel hidden', unit: 'µs', samples: hidden },
    { what: 'one fill, panel seen', unit: 'µs', samples: watched }
  ];
}
