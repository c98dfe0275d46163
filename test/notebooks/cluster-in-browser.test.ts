/** The picture of a cluster in JupyterLab: a scheduler and two workers of Dask on this machine. */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Locator } from 'playwright-core';
import { root } from '../setup/repository.ts';
import { seriousFindings } from './accessibility.ts';
import { session, THEMES, withSession } from './lab-session.ts';

const MODULE = pathToFileURL(join(root, 'dist', 'src', 'cluster', 'observed-cluster.js')).href;

const PROGRAM = `
import logging
from distributed import Client, Event, LocalCluster, WorkerPlugin
from stridelab.cluster.transfers import IncomingTransfers

logging.getLogger("distributed").setLevel(logging.CRITICAL)
local = LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL)
client = Client(local)

class Metrics(WorkerPlugin):
    name = "stridelab"
    def setup(self, worker):
        worker.metrics["stridelab-transfers"] = IncomingTransfers()
        worker.metrics["stridelab"] = lambda _: {"pid": 4711, "state": "running", "restarts": 0}

client.register_plugin(Metrics())
first, second = client.scheduler_info()["workers"]

def scale(text, factor):
    if factor < 0:
        raise ValueError(f"the factor must not be negative: {factor}")
    return text * factor

def hold(number):
    Event("go").wait()
    return number
`;

const CELLS = [
  `import { inspect, python, type PyObject } from 'stridelab';
const { ObservedCluster } = await import(${JSON.stringify(MODULE)});
python.run(${JSON.stringify(PROGRAM)});
class Cluster extends ObservedCluster {
  client = python.evaluate('client') as PyObject;
  closed = false;
}
const cluster = new Cluster();
inspect(cluster as never);`,
  `python.run(\`
block = client.submit(scale, b"x", 8 << 20, workers=[first])
copy = client.submit(len, block, workers=[second])
copy.result()
failed = client.submit(scale, b"x", -1, key="scale-unlucky")
try:
    failed.result()
except ValueError:
    pass
held = client.map(hold, range(6), key=[f"hold-{number}" for number in range(6)])
\`)`,
  'cluster',
  ''
];
const SCRATCH = CELLS.length - 1;

let live: Locator;
const row = (text: string): Locator => live.locator('tbody tr', { hasText: text });

withSession('cluster', CELLS);
beforeAll(async () => {
  live = session.lab.cell(0).locator('.stridelab-cluster');
  await live.waitFor({ timeout: 90_000 });
}, 180_000);

test('shows two workers, what runs, the transfer between them with its bytes, and the failure', async () => {
  await live.getByText('Workers: 2 · Threads: 4').waitFor({ timeout: 30_000 });
  expect(await live.locator('.stridelab-lifetime').textContent()).toContain('live');
  await row('hold ').nth(1).waitFor({ timeout: 30_000 });
  await live
    .getByRole('region', { name: 'Transfers' })
    .getByRole('cell', { name: '8 MiB', exact: true })
    .waitFor({ timeout: 30_000 });
  await row('ValueError: the factor must not be negative: -1').waitFor();
  await live.getByText('1 failed').waitFor();
  expect(await row('running').count()).toBe(2);
}, 90_000);

test('the link leads to the dashboard of Dask', async () => {
  const link = live.getByRole('link', { name: 'Dask dashboard' });
  expect(await link.getAttribute('href')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/status$/);
  expect(await link.getAttribute('target')).toBe('_blank');
});

test('the last expression shows the state of now, without the kernel', async () => {
  const shown = session.lab.cell(2).locator('.stridelab-cluster');
  await shown.waitFor({ timeout: 15_000 });
  expect(await shown.locator('.stridelab-lifetime').textContent()).toContain('snapshot');
  await shown.getByText('Workers: 2').waitFor();
}, 30_000);

test('axe-core finds nothing serious in light and dark; screenshots are saved', async () => {
  for (const [theme] of THEMES) {
    await session.lab.setTheme(theme);
    expect(await seriousFindings(live)).toEqual([]);
  }
  await session.screenshots(live, 'cluster');
  expect(session.lab.complaints).toEqual([]);
}, 60_000);

test('the keyboard reaches the link and the tables, which scroll', async () => {
  const { page } = session.lab;
  await live.getByRole('link').focus();
  for (const name of ['Workers', 'Transfers', 'Failures']) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(name);
  }
});

test('tasks that end and workers that are killed disappear', async () => {
  await session.lab.run(SCRATCH, `python.run('Event("go").set()'), undefined`);
  await live.getByText('0 processing').waitFor({ timeout: 30_000 });
  const address = String(await live.locator('tbody tr').first().locator('td').last().textContent());
  await session.lab.run(
    SCRATCH,
    `python.run('import os, signal; os.kill(client.run(os.getpid, workers=["${address}"])["${address}"], signal.SIGKILL)'), undefined`
  );
  await row('worker lost').first().waitFor({ timeout: 30_000 });
  await live
    .getByRole('region', { name: 'Workers' })
    .getByText(address)
    .waitFor({ state: 'detached', timeout: 30_000 });
}, 90_000);

test('a lost scheduler is reported, with its last state', async () => {
  await session.lab.run(SCRATCH, `python.run('local.close()'), undefined`);
  await live.locator('.stridelab-lifetime', { hasText: 'scheduler lost' }).waitFor({ timeout: 30_000 });
  expect(await live.getByRole('status').first().textContent()).toMatch(/^This is the last state: the /);
  await live.getByText(/^Workers: [12] ·/).waitFor();
}, 90_000);
