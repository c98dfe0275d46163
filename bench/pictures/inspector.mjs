/** Milliseconds from the message that opens an inspector's comm to its first paint: at most 100. */

const ROUNDS = 12;
const CELL = `import { arange, inspect } from 'stridelab';
const small = arange(120, { device: 'sim:0', dtype: 'float32' }).reshape(2, 6, 10);
await small.synchronizeAsync();`;
/** Pages whose first inspector is measured. */
const FIRST_ROUNDS = 7;

/** Stores in the window when each comm was opened and when each inspector was first painted. */
function watch() {
  /** @type {{ opened: number[], painted: number[] }} */
  const times = { opened: [], painted: [] };
  const page = /** @type {any} */ (window);
  page.stridelabTimes = times;
  /** @param {unknown} _ @param {{ msg: { header: { msg_type: string }, content: any }, direction: string }} told */
  const note = (_, { msg, direction }) => {
    if (direction !== 'recv' || msg.header.msg_type !== 'comm_open') return;
    if (msg.content.data?.state?._model_name === 'ArrayInspectorModel') times.opened.push(performance.now());
  };
  page.jupyterapp.shell.currentWidget.sessionContext.session.kernel.anyMessage.connect(note);
  const seen = new WeakSet();
  new MutationObserver(() => {
    for (const inspector of document.querySelectorAll('.stridelab-inspector[data-lifetime="live"]')) {
      if (seen.has(inspector)) continue;
      seen.add(inspector);
      // A message posted in a frame arrives after that frame was painted.
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => times.painted.push(performance.now());
        port2.postMessage(null);
      });
    }
  }).observe(document.body, { subtree: true, childList: true, attributeFilter: ['data-lifetime'] });
}

/** @param {import('./run.mjs').Lab} lab @returns {Promise<import('./table.mjs').Row[]>} */
export async function measure(lab) {
  await using session = await lab.open('inspector', [CELL, '']);
  const { page } = session.lab;
  /** Opens inspectors one after the other; returns the times until they are painted. @param {number} count */
  const inspect = async count => {
    await page.evaluate(watch);
    for (let round = 1; round <= count; round++) {
      await session.lab.run(1, 'inspect(small)');
      await page.waitForFunction(
        painted => /** @type {any} */ (window).stridelabTimes.painted.length >= painted,
        round
      );
    }
    const { opened, painted } = await page.evaluate(() => /** @type {any} */ (window).stridelabTimes);
    return painted.map((/** @type {number} */ at, /** @type {number} */ round) => at - opened[round]);
  };
  await session.lab.kernelIs('idle');
  const [first, ...later] = await inspect(ROUNDS);
  const firsts = [first];
  // As in a page that was never loaded before, its files are not in the browser's cache.
  const browser = await page.context().newCDPSession(page);
  await browser.send('Network.setCacheDisabled', { cacheDisabled: true });
  while (firsts.length < FIRST_ROUNDS) {
    // A notebook without a picture, and a kernel without a model, which a page would load at its start.
    await page.evaluate(() =>
      /** @type {any} */ (window).jupyterapp.shell.currentWidget.sessionContext.restartKernel()
    );
    await session.lab.run(0, CELL);
    await session.lab.run(1, 'void 0');
    await lab.reload(session);
    firsts.push(...(await inspect(1)));
  }
  return [
    {
      what: 'inspector, comm open to first paint, its code loaded',
      unit: 'ms',
      samples: later,
      budget: 100
    },
    { what: 'the first inspector of a page', unit: 'ms', samples: firsts, budget: 80 }
  ];
}
