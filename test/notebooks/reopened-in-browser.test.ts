/** A notebook of pictures in all situations: pictures are live where possible, otherwise correct, and load little code. */

import type { Locator, Response, WebSocketRoute } from 'playwright-core';
import { describeCluster } from '../../src/pictures/cluster/describe.ts';
import { PICTURE_MIME_TYPE } from '../../src/pictures/kit/live-messages.ts';
import { clusterFacts } from '../setup/cluster-facts.ts';
import { pass, until } from '../setup/until.ts';
import { session, withSession } from './lab-session.ts';

/** Bytes of our code that a page loads for all pictures, and before the first one. */
const PAGE_BUDGET = 150_000;
const START_BUDGET = 28_000;

const CLUSTER = describeCluster({ facts: clusterFacts(2), problem: null, closed: false });

const CELLS = [
  `import { arange, asCudaArray, devices, exchanges, inspect, memoryLog, Stream, trace, zeros } from 'stridelab';
import { HandshakeDiagram } from 'stridelab/widgets';
const device = devices().find(({ simulated }) => simulated)!;
trace.start(), memoryLog.start(), exchanges.start();
const stream = new Stream({ device });
const kept = [zeros(1 << 10, { device, stream })];
const exchange = () => asCudaArray({ get __cuda_array_interface__() { return kept[0].__cuda_array_interface__; } });
exchange();
const a = arange(12, { dtype: 'float32', device }).reshape(3, 4);
a`,
  'inspect(a)',
  'inspect(device)',
  'inspect(stream)',
  'inspect(trace)',
  'inspect(memoryLog)',
  'inspect(exchanges)',
  'new HandshakeDiagram()',
  'trace',
  'memoryLog',
  'exchanges',
  // A cluster's scheduler is not needed to draw it.
  `({ [Symbol.for('Jupyter.display')]: () => (${JSON.stringify({ [PICTURE_MIME_TYPE]: { view: 'ClusterView', picture: CLUSTER } })}) })`,
  ''
];
const [TRACE, MEMORY, EXCHANGES, LESSON] = [4, 5, 6, 7];
const SCRATCH = CELLS.length - 1;
/** Live pictures by cell, each with the text of its live badge. A lesson's badge is the same with and without a kernel. */
const LIVE: readonly (readonly [cell: number, badge: string])[] = [
  ...[1, 2, 3].map(cell => [cell, 'live'] as const),
  ...[TRACE, MEMORY, EXCHANGES].map(cell => [cell, 'recording'] as const)
];

/** The connection from the page to its kernels, through the server. */
const way = { isCut: false, sockets: [] as WebSocketRoute[] };
const view = (cell: number): Locator => session.lab.cell(cell).locator('.stridelab-view');

withSession('reopened', CELLS);
beforeAll(async () => {
  await areLive();
  await session.lab.kernelIs('idle');
  await pass(300, 'a run that ended just before the save would be requested again');
  await session.lab.command('docmanager:save');
  // Applies to the next page that is loaded.
  await session.lab.page.routeWebSocket(/\/api\/kernels\/.*\/channels/, socket => {
    if (way.isCut) return void socket.close();
    socket.connectToServer();
    way.sockets.push(socket);
  });
}, 180_000);

async function badgeSays(picture: Locator, text: string): Promise<void> {
  await picture.locator('.stridelab-lifetime', { hasText: text }).waitFor({ timeout: 60_000 });
}

async function areLive(): Promise<void> {
  for (const [cell, badge] of LIVE) await badgeSays(view(cell), badge);
  await badgeSays(view(LESSON), 'lesson');
}

/** Each place shows one picture, a snapshot, instead of a message of the widget manager. */
async function areSnapshots(): Promise<void> {
  for (const [cell] of LIVE) await badgeSays(view(cell), 'snapshot');
  await badgeSays(view(LESSON), 'lesson');
  for (const cell of [...LIVE.map(([number]) => number), LESSON]) expect(await view(cell).count()).toBe(1);
  const text = await session.lab.page.locator('.jp-Notebook').innerText();
  expect(text).not.toMatch(/model not found|Loading widget/);
  expect(await view(MEMORY).getByRole('status').textContent()).toMatch(/^No kernel is connected|^$/);
  expect(await view(TRACE).getByRole('button', { name: 'Follow' }).getAttribute('aria-disabled')).toBe(
    'true'
  );
}

/** Adds up the sizes of our files that a page loads from now on. */
function weigh(): { readonly bytes: () => Promise<number> } {
  const sizes: Promise<number>[] = [];
  session.lab.page.on('response', (response: Response) => {
    if (response.url().includes('/extensions/stridelab/') && response.url().endsWith('.js'))
      sizes.push(response.body().then(body => body.length));
  });
  return { bytes: async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) };
}

async function reload(): Promise<void> {
  await session.lab.page.reload();
  await session.lab.page.waitForFunction(() => 'jupyterapp' in window, undefined, { timeout: 60_000 });
  await session.lab.page.locator('.jp-Notebook').waitFor({ timeout: 60_000 });
}

interface Exposed {
  readonly jupyterapp: {
    readonly shell: {
      readonly currentWidget: {
        readonly content: { activeCellIndex: number };
        readonly sessionContext: {
          readonly session: { readonly kernel: { restart(): Promise<void> } };
          shutdown(): Promise<void>;
        };
      };
      widgets(area: string): Iterable<{ readonly node: HTMLElement; close(): void }>;
    };
  };
}

const restart = (): Promise<void> =>
  session.lab.page.evaluate(() =>
    (window as unknown as Exposed).jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()
  );
const shutDown = (): Promise<void> =>
  session.lab.page.evaluate(() =>
    (window as unknown as Exposed).jupyterapp.shell.currentWidget.sessionContext.shutdown()
  );

/** The numbers of records, events and exchanges that pictures show. */
const figures = async (pictures: readonly Locator[]): Promise<number[]> => {
  const texts = await Promise.all(
    pictures.map((picture, index) =>
      picture.locator(['.stridelab-fact', '.stridelab-mv-readout', 'strong'][index]!).first().textContent()
    )
  );
  return texts.map(text => Number(/\d+/.exec(text!.replace(',', ''))?.[0]));
};

/** Does something that all three report, and waits until they show it. */
async function follow(pictures: readonly Locator[]): Promise<void> {
  const before = await figures(pictures);
  await session.lab.run(SCRATCH, 'kept.push(zeros(1 << 10, { device, stream })), exchange(), undefined');
  await until(async () => (await figures(pictures)).every((figure, index) => figure > before[index]!), 20);
}

/** Waits until these pictures show the same numbers as those. */
async function agree(these: readonly Locator[], those: readonly Locator[]): Promise<void> {
  await until(async () => (await figures(these)).join() === (await figures(those)).join(), 20);
}

test('a reloaded page finds the models of its kernel: live pictures are live', async () => {
  const weight = weigh();
  await reload();
  await areLive();
  // A result shows its values first, and its inspector in a fold.
  await view(0).locator('.stridelab-text').waitFor({ timeout: 60_000 });
  for (const cell of CELLS.keys()) if (cell !== SCRATCH) await view(cell).waitFor({ timeout: 30_000 });
  const bytes = await weight.bytes();
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(PAGE_BUDGET);
  await follow([view(TRACE), view(MEMORY), view(EXCHANGES)]);
}, 120_000);

test('if only the connection to the server is lost, pictures say so and keep their contents; they catch up automatically', async () => {
  const known = [view(TRACE), view(MEMORY), view(EXCHANGES)];
  const before = await figures(known);
  await session.lab.run(
    SCRATCH,
    'setTimeout(() => (kept.push(zeros(1 << 10, { device, stream })), exchange()), 1500), undefined'
  );
  way.isCut = true;
  await Promise.all(way.sockets.splice(0).map(socket => socket.close()));
  for (const [cell] of LIVE) await badgeSays(view(cell), 'disconnected');
  expect(await view(1).locator('.stridelab-actions').textContent()).toContain('Reconnect to Kernel');
  await pass(1500, 'output of the cell must not arrive meanwhile');
  expect(await figures(known)).toEqual(before);
  way.isCut = false;
  await areLive();
  await until(async () => (await figures(known)).every((now, at) => now > before[at]!));
  await follow(known);
}, 120_000);

test('a second view shows the same, and the first continues once it is closed', async () => {
  const { page } = session.lab;
  for (const cell of [TRACE, MEMORY, EXCHANGES]) {
    await page.locator('.jp-NotebookPanel-toolbar').click();
    await page.evaluate(index => {
      (window as unknown as Exposed).jupyterapp.shell.currentWidget.content.activeCellIndex = index;
    }, cell);
    await session.lab.command('notebook:create-output-view');
  }
  const copies = page.locator('.jp-LinkedOutputView .stridelab-view');
  const seconds = ['timeline', 'memory-view', 'handshake'].map(name =>
    page.locator(`.jp-LinkedOutputView .stridelab-${name}`)
  );
  for (const second of seconds) await badgeSays(second, 'recording');
  expect(await copies.count()).toBe(3);
  // The selected tab is separate for each view.
  await seconds[0]!.getByRole('tab', { name: 'List' }).click();
  expect(await view(TRACE).getByRole('tab', { name: 'List' }).getAttribute('aria-selected')).toBe('false');
  const firsts = [view(TRACE), view(MEMORY), view(EXCHANGES)];
  await follow(firsts);
  await agree(seconds, firsts);
  await page.evaluate(() => {
    const { shell } = (window as unknown as Exposed).jupyterapp;
    for (const widget of [...shell.widgets('main')])
      if (widget.node.querySelector('.jp-LinkedOutputView') !== null) widget.close();
  });
  await copies.first().waitFor({ state: 'detached' });
  await follow(firsts);
}, 120_000);

test('a page without a notebook loads little of the extension', async () => {
  const page = await session.browser.newPage();
  const sizes: Promise<number>[] = [];
  page.on('response', response => {
    if (response.url().includes('/extensions/stridelab/'))
      sizes.push(response.body().then(body => body.length));
  });
  const { url, token } = session.server;
  await page.goto(`${url}/lab/workspaces/empty?reset&token=${token}`);
  await page.locator('.jp-Launcher').waitFor({ timeout: 60_000 });
  await page.waitForLoadState('networkidle');
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await page.close();
  expect(bytes).toBeGreaterThan(1_000);
  expect(bytes).toBeLessThan(START_BUDGET);
}, 120_000);

test('after the program exited, pictures keep its last state as snapshots; a run makes them live', async () => {
  const known = [view(TRACE), view(MEMORY), view(EXCHANGES)];
  const before = await figures(known);
  await session.lab.run(SCRATCH, 'process.exit(3)');
  await areSnapshots();
  expect(await figures(known)).toEqual(before);
  await session.lab.write(SCRATCH, 'undefined');
  await session.lab.command('notebook:run-all-cells');
  await areLive();
}, 180_000);

test('after a manual restart they are snapshots of the last state', async () => {
  const known = [view(TRACE), view(MEMORY), view(EXCHANGES)];
  const before = await figures(known);
  await restart();
  await areSnapshots();
  expect(await figures(known)).toEqual(before);
  await session.lab.command('notebook:run-all-cells');
  await areLive();
}, 180_000);

test('after a shutdown of the kernel they are snapshots immediately, also on a new page, whose kernel has no models', async () => {
  await session.lab.command('docmanager:save');
  await shutDown();
  await areSnapshots();
  await reload();
  await session.lab.kernelIs('idle');
  await areSnapshots();
  // Saved notebooks have sorted keys: nothing may depend on the order of keys.
  const lanes = await view(EXCHANGES).locator('svg .title').allTextContents();
  expect(lanes).toEqual(['producer', "producer's stream", "consumer's stream", 'consumer']);
  await session.lab.command('notebook:run-all-cells');
  await areLive();
  expect(await view(1).count()).toBe(1);
}, 180_000);

test('a page without the extension shows the tables of the static pictures', async () => {
  const { page } = session.lab;
  await page.route('**/lab/tree/**', async route => {
    const response = await route.fetch();
    const html = await response.text();
    const [, json] = /<script id="jupyter-config-data"[^>]*>([^]*?)<\/script>/.exec(html)!;
    const config = JSON.parse(json!) as { federated_extensions: { readonly name: string }[] };
    config.federated_extensions = config.federated_extensions.filter(({ name }) => name !== 'stridelab');
    await route.fulfill({ response, body: html.replace(json!, () => JSON.stringify(config)) });
  });
  await reload();
  for (const [cell, words] of [
    [0, 'float32 (3, 4) on sim:0'],
    [TRACE + 4, 'trace of'],
    [MEMORY + 4, 'memory:'],
    [EXCHANGES + 4, 'recorded']
  ] as const) {
    await session.lab.cell(cell).locator('.jp-RenderedHTMLCommon', { hasText: words }).first().waitFor();
    expect(await view(cell).count()).toBe(0);
  }
}, 120_000);
