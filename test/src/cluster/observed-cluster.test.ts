/** The state of a cluster, read through a Dask client in this process. */

import { inspect as printed } from 'node:util';
import { jest } from '@jest/globals';
import { ObservedCluster } from '../../../src/cluster/observed-cluster.ts';
import { DISPLAY_METHOD, inspect, python, type PyObject } from '../../../src/index.ts';
import { PICTURE_MIME_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import { until } from '../../setup/until.ts';
import { describeWith, pythonOfTests } from '../python/environment.ts';

class Cluster extends ObservedCluster {
  readonly client: PyObject;
  closed = false;

  constructor(client: PyObject) {
    super();
    this.client = client;
  }
}

const PROGRAM = `
from distributed import Client, LocalCluster

def start(workers):
    # In threads of this process, which start fast.
    cluster = LocalCluster(n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=None)
    return cluster, Client(cluster)

def end(cluster, client):
    client.close()
    cluster.close()
`;

describeWith(['distributed'], 'a cluster', () => {
  const started: PyObject[] = [];
  const call = (name: string, ...values: unknown[]): PyObject =>
    (python.evaluate(name) as unknown as (...given: unknown[]) => PyObject)(...values);

  beforeAll(() => {
    python.start({ python: pythonOfTests });
    python.run(PROGRAM);
  });
  afterAll(() => {
    for (const pair of started) call('end', python.item(pair, 0), python.item(pair, 1));
  });

  function start(workers: number): { readonly scheduler: PyObject; readonly cluster: Cluster } {
    const pair = call('start', workers);
    started.push(pair);
    return {
      scheduler: python.item(pair, 0) as PyObject,
      cluster: new Cluster(python.item(pair, 1) as PyObject)
    };
  }

  test('reports its workers, and pictures share one read', async () => {
    const { cluster } = start(2);
    expect(cluster.observation).toEqual({ facts: null, problem: null, closed: false });
    const [first, second] = await Promise.all([cluster.facts(), cluster.facts()]);
    expect(second).toBe(first);
    expect(await cluster.facts()).toBe(first);
    expect(first).toMatchObject({ threads: 2, refusal: null, failures: [], omitted: { workers: 0 } });
    expect(first.workers.map(({ name, status }) => [name, status])).toEqual([
      ['0', 'running'],
      ['1', 'running']
    ]);
    // Later reads are new.
    await until(async () => (await cluster.facts()) !== first);
  }, 60_000);

  test('is shown as a picture, HTML and text, and in one line when printed', async () => {
    const { cluster } = start(1);
    expect(printed(cluster)).toBe('Cluster: the scheduler has not answered yet');
    const bundle = await cluster[DISPLAY_METHOD]();
    expect(bundle[PICTURE_MIME_TYPE]).toMatchObject({
      view: 'ClusterView',
      picture: { problem: null, closed: false, facts: { threads: 1 } }
    });
    expect(bundle['text/plain']).toMatch(/^Cluster inproc:.*: 1 worker, 1 thread\n/);
    expect(bundle['text/html']).toContain('<table>');
    expect(printed(cluster)).toMatch(/^Cluster inproc:.*: 1 worker, 1 thread$/);
  }, 60_000);

  test('inspect prints its text outside a notebook', async () => {
    const { cluster } = start(1);
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      inspect(cluster);
      await until(() => write.mock.calls.length > 0);
      expect(String(write.mock.calls[0]![0])).toMatch(/^Cluster inproc:.*\n$/s);
    } finally {
      write.mockRestore();
    }
  }, 60_000);

  test('keeps the last state of a scheduler that was lost, with the reason', async () => {
    const { scheduler, cluster } = start(1);
    const facts = await cluster.facts();
    await python.callAsync((scheduler as unknown as { close: PyObject }).close);
    await expect(
      (async () => {
        for (;;) await cluster.facts();
      })()
    ).rejects.toThrow('ConnectionError');
    const observation = await cluster.observe();
    expect(observation.facts).toMatchObject({ scheduler: facts.scheduler, threads: 1 });
    expect(observation.problem).toMatch(/^the (scheduler|connection) /);
    expect(printed(cluster)).toMatch(/, scheduler lost$/);
  }, 60_000);

  test('is not read after it was closed', async () => {
    const { cluster } = start(0);
    const facts = await cluster.facts();
    cluster.closed = true;
    expect(await cluster.observe()).toEqual({ facts, problem: null, closed: true });
    expect(printed(cluster)).toMatch(/: no workers yet, 0 threads, closed$/);
  }, 60_000);
});
