/** A page loaded, or a notebook opened, during a run shows all of its output: earlier, concurrent and later. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { WebSocketRoute } from 'playwright-core';
import { root } from '../setup/repository.ts';
import { pass, until } from '../setup/until.ts';
import { LabPage } from './lab-page.ts';
import { lab, session, withSession } from './lab-session.ts';
import { codeCells, type CodeCell, type Notebook } from './notebook-files.ts';

const FOLDER = 'resumed';
const NOTEBOOK = `${FOLDER}.ipynb`;
const HELPERS = `import { existsSync } from 'node:fs';
import { inspect, zeros } from 'stridelab';
import { clearOutput, display } from 'stridelab/notebook';
const file = async (name: string) => { while (!existsSync(name)) await new Promise(resolve => setTimeout(resolve, 10)); };`;

interface Exposed {
  readonly jupyterapp: {
    readonly shell: {
      readonly currentWidget: {
        readonly content: {
          readonly widgets: readonly { readonly outputArea: { readonly future?: object } }[];
        };
        readonly sessionContext: { readonly session: { readonly kernel: { restart(): Promise<void> } } };
      };
    };
  };
}

withSession(FOLDER, [HELPERS, ...Array.from({ length: 12 }, () => '')], { run: false });
/** The connection from the page to its kernels, through the server. */
const way = { isCut: false, isLate: false, sockets: [] as WebSocketRoute[] };

/** Loses what the kernel publishes until the page has asked for its information twice: the server has subscribed late. */
function loseFirst(page: WebSocketRoute, server: WebSocketRoute): void {
  let asked = 0;
  page.onMessage(message => {
    if (message.includes('kernel_info_request')) asked += 1;
    server.send(message);
  });
  server.onMessage(message => {
    if (asked > 1 || !message.includes('iopub')) page.send(message);
  });
}

beforeAll(async () => {
  await lab.page.routeWebSocket(/\/api\/kernels\/.*\/channels/, socket => {
    if (way.isCut) return void socket.close();
    const server = socket.connectToServer();
    if (way.isLate) loseFirst(socket, server);
    way.sockets.push(server, socket);
  });
  await lab.run(0, HELPERS);
}, 180_000);

let complaints = 0;
afterEach(() => {
  const fresh = lab.complaints.slice(complaints);
  complaints = lab.complaints.length;
  expect(fresh).toEqual([]);
});

/** Continues the cell that waits for this file. */
const signal = (name: string): void => writeFileSync(join(root, 'build', FOLDER, name), '');
const prompt = (cell: number, page = lab) => page.cell(cell).locator('.jp-InputPrompt').first();
const promptIs = (cell: number, text: RegExp, page = lab): Promise<void> =>
  until(async () => text.test((await prompt(cell, page).textContent()) ?? ''), 60);
const RUNS = /^\[\*\]:?$/;
const HAS_RUN = /^\[\d+\]:?$/;

async function cell(index: number, page = lab): Promise<CodeCell> {
  return codeCells(await page.contents())[index]!;
}

/** The cell's output as text: streams, results, displays and errors. */
async function shown(index: number, page = lab): Promise<string[]> {
  const { outputs } = await cell(index, page);
  return outputs.map(output => {
    const { text, data, evalue } = output as typeof output & { text?: string | string[]; evalue?: string };
    const said = (text ?? data?.['text/plain'] ?? evalue ?? '') as string | string[];
    return [said]
      .flat()
      .join('')
      .replaceAll(/\u001b\[\d+m/g, '');
  });
}

/** Waits until the cell shows this output; on a timeout the test fails with the actual output. */
async function shows(index: number, expected: readonly string[], page = lab): Promise<void> {
  let last: readonly string[] = [];
  await until(async () => isDeepStrictEqual((last = await shown(index, page)), expected), 40).catch(() =>
    expect(last).toEqual(expected)
  );
}

/** Waits until the server reports these properties of the kernel. */
const serverSays = (wanted: Readonly<Record<string, unknown>>): Promise<void> =>
  until(async () => {
    const { url, token } = session.server;
    const response = await fetch(`${url}/api/kernels`, { headers: { Authorization: `token ${token}` } });
    const [kernel] = (await response.json()) as Record<string, unknown>[];
    return Object.entries(wanted).every(([name, value]) => kernel?.[name] === value);
  }, 40);

async function isLoaded(page: LabPage): Promise<void> {
  await page.page.waitForFunction(() => 'jupyterapp' in window, undefined, { timeout: 60_000 });
  await page.page.locator('.jp-Notebook').waitFor({ timeout: 60_000 });
  // The notebook appears before its cells.
  await until(async () => Number(((await page.contents()) as Notebook | undefined)?.cells.length) > 1, 60);
}

async function reload(): Promise<void> {
  // A page with unsaved changes asks before it is left.
  await lab.command('docmanager:save');
  await lab.page.reload();
  await isLoaded(lab);
}

test('text, displays and the result of a running cell are each shown once, and the cell is running meanwhile', async () => {
  await lab.start(
    1,
    `console.log('cleared'); clearOutput();
console.log('early'); console.error('warning');
const shows = await display('first', { displayId: 'kept' });
await file('1a');
console.log('meanwhile'); shows.update('second');
await file('1b');
console.log('late'); shows.update('third');
'the result'`
  );
  const before = ['early\n', 'warning\n', "'first'"];
  await shows(1, before);
  await reload();
  await promptIs(1, RUNS);
  await shows(1, before);
  expect((await cell(1)).execution_count).toBeNull();
  signal('1a');
  await shows(1, ['early\n', 'warning\n', "'second'", 'meanwhile\n']);
  await promptIs(1, RUNS);
  // While the connection is lost, the server buffers messages for this page.
  way.isCut = true;
  await Promise.all(way.sockets.splice(0).map(socket => socket.close()));
  await serverSays({ connections: 0 });
  signal('1b');
  await serverSays({ execution_state: 'idle' });
  way.isCut = false;
  await shows(1, ['early\n', 'warning\n', "'third'", 'meanwhile\nlate\n', "'the result'"]);
  await promptIs(1, HAS_RUN);
  await lab.kernelIs('idle');
}, 120_000);

test('a page resumes a run though the server subscribes late, and the first status is lost', async () => {
  await lab.start(1, `console.log('early');\nawait file('1c');\nconsole.log('late')`);
  await shows(1, ['early\n']);
  way.isLate = true;
  await reload();
  await promptIs(1, RUNS);
  way.isLate = false;
  await shows(1, ['early\n']);
  signal('1c');
  await shows(1, ['early\nlate\n']);
  await promptIs(1, HAS_RUN);
  await lab.kernelIs('idle');
}, 120_000);

test('an error, and a display that a later cell updates, are shown', async () => {
  await lab.start(
    2,
    `await display('old', { displayId: 'shared' });\nawait file('2');\nthrow new Error('failed')`
  );
  await shows(2, ["'old'"]);
  await reload();
  await promptIs(2, RUNS);
  signal('2');
  await shows(2, ["'old'", 'failed']);
  await promptIs(2, HAS_RUN);
  await lab.run(3, "await display('new', { displayId: 'shared', update: true })");
  await shows(2, ["'new'", 'failed']);
}, 120_000);

/** The cells whose messages the page handles. */
const followed = (): Promise<number[]> =>
  lab.page.evaluate(() => {
    const { widgets } = (window as unknown as Exposed).jupyterapp.shell.currentWidget.content;
    return [...widgets.keys()].filter(index => widgets[index]!.outputArea.future !== undefined);
  });

test('output that ended while no page was open is shown by the next one', async () => {
  await lab.start(4, `console.log('early');\nawait file('4');\nconsole.log('late');\n'ended alone'`);
  await shows(4, ['early\n']);
  await lab.command('docmanager:save');
  const url = lab.page.url();
  await lab.page.goto('about:blank');
  signal('4');
  await serverSays({ execution_state: 'idle', connections: 0 });
  await lab.page.goto(url);
  await isLoaded(lab);
  await shows(4, ['early\nlate\n', "'ended alone'"]);
  await promptIs(4, HAS_RUN);
}, 120_000);

test('queued cells run in order, a live picture is live, and saved output is not touched', async () => {
  await lab.start(5, `const array = zeros(4);\ninspect(array);\nawait file('5');\narray.fill(7)`);
  await lab.cell(5).locator('.stridelab-lifetime', { hasText: 'live' }).waitFor({ timeout: 60_000 });
  await lab.start(6, "console.log('after it')");
  await pass(300, 'a notebook that is saved at the end of a run may lack its output');
  await reload();
  await promptIs(5, RUNS);
  await promptIs(6, RUNS);
  expect(await followed()).toEqual([5, 6]);
  await lab.cell(5).locator('.stridelab-lifetime', { hasText: 'live' }).waitFor({ timeout: 60_000 });
  signal('5');
  await shows(6, ['after it\n']);
  await promptIs(5, HAS_RUN);
  await promptIs(6, HAS_RUN);
  await lab.cell(5).locator('.stridelab-inspector', { hasText: '7' }).waitFor({ timeout: 60_000 });
}, 120_000);

test('a question is asked again, and one that no page could show is asked', async () => {
  await lab.start(
    7,
    "import { input } from 'stridelab/notebook';\n[await input('A?'), await input('B?')].join()"
  );
  const boxes = lab.cell(7).locator('.jp-Stdin');
  await boxes.first().waitFor({ timeout: 60_000 });
  await reload();
  await boxes.filter({ hasText: 'A?' }).waitFor({ timeout: 60_000 });
  await lab.answer('one');
  await boxes.filter({ hasText: 'B?' }).waitFor({ timeout: 60_000 });
  await reload();
  await boxes.filter({ hasText: 'B?' }).waitFor({ timeout: 60_000 });
  await lab.answer('two');
  await until(async () => (await shown(7)).at(-1) === "'one,two'", 60);
}, 120_000);

describe('a cell is no longer followed', () => {
  const resume = async (name: string): Promise<void> => {
    await lab.start(8, `console.log('${name}');\nawait file('${name}');\nconsole.log('not to be seen')`);
    await shows(8, [`${name}\n`]);
    await reload();
    await promptIs(8, RUNS);
    await shows(8, [`${name}\n`]);
  };

  test('when it is run again', async () => {
    await resume('8a');
    await lab.start(8, "console.log('again')");
    signal('8a');
    await shows(8, ['again\n']);
    await promptIs(8, HAS_RUN);
  }, 120_000);

  test('when it is interrupted', async () => {
    await resume('8b');
    await lab.command('notebook:interrupt-kernel');
    await until(async () => (await shown(8)).length === 2, 60);
    await promptIs(8, HAS_RUN);
  }, 120_000);

  test('when it is deleted, and the notebook continues', async () => {
    await resume('8c');
    await lab.cell(8).locator('.jp-InputPrompt').first().click();
    await lab.command('notebook:delete-cell');
    signal('8c');
    expect(await lab.run(8, "console.log('next')")).toBe('next\n');
  }, 120_000);

  test('when its notebook is closed, and follows again when the notebook is opened', async () => {
    await resume('8d');
    await lab.command('docmanager:save');
    await lab.command('application:close');
    await lab.command('docmanager:open', { path: NOTEBOOK });
    await promptIs(8, RUNS);
    signal('8d');
    await shows(8, ['8d\nnot to be seen\n']);
    await promptIs(8, HAS_RUN);
  }, 120_000);

  test('when the kernel is restarted', async () => {
    await resume('8e');
    await lab.page.evaluate(() => {
      const { jupyterapp } = window as unknown as Exposed;
      return jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart();
    });
    await promptIs(8, /^\[ \]:?$/);
    signal('8e');
    await lab.run(0, HELPERS);
    await shows(8, ['8e\n']);
  }, 120_000);
});

test('a second page shows the run from its beginning, and the first is not affected', async () => {
  await lab.start(9, `console.log('early');\nawait file('9');\nconsole.log('late');\n'both'`);
  await shows(9, ['early\n']);
  await lab.command('docmanager:save');
  const second = await LabPage.open(session.browser, session.server, NOTEBOOK, 'lab/tree', 'busy');
  await isLoaded(second);
  await promptIs(9, RUNS, second);
  await shows(9, ['early\n'], second);
  signal('9');
  for (const page of [lab, second]) {
    await shows(9, ['early\nlate\n', "'both'"], page);
    await promptIs(9, HAS_RUN, page);
  }
  expect(second.complaints).toEqual([]);
  await second.page.close();
}, 120_000);

test('Notebook 7 resumes a run in the same way', async () => {
  await lab.start(10, `console.log('early');\nawait file('10');\n'in Notebook 7'`);
  await shows(10, ['early\n']);
  await lab.command('docmanager:save');
  const notebook = await LabPage.open(session.browser, session.server, NOTEBOOK, 'notebooks', 'busy');
  await isLoaded(notebook);
  await promptIs(10, RUNS, notebook);
  await shows(10, ['early\n'], notebook);
  signal('10');
  await shows(10, ['early\n', "'in Notebook 7'"], notebook);
  await promptIs(10, HAS_RUN, notebook);
  expect(notebook.complaints).toEqual([]);
  await notebook.page.close();
}, 120_000);
