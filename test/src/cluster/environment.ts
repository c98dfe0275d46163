/* eslint-disable @typescript-eslint/no-unsafe-call -- what Python gives has no static type */
/** Clusters of real processes for tests. */

import { join } from 'node:path';
import { connect, type Cluster, type LocalClusterOptions } from '../../../src/cluster.ts';
import { python } from '../../../src/index.ts';
import { root } from '../../setup/repository.ts';
import { until } from '../../setup/until.ts';

/** Starts the Python of the tests, which has Dask. */
export function startPython(): void {
  python.start({ python: join(root, '.venv', 'bin', 'python'), mode: 'auto' });
}

/** Starts a cluster for all tests of a file, and closes it after them. */
export function clusterOfTests(options: LocalClusterOptions = {}): () => Cluster {
  let cluster: Cluster;
  beforeAll(async () => {
    startPython();
    cluster = await connect({ workers: 2, threads: 1, ...options });
  }, 60_000);
  afterAll(() => cluster.close(), 60_000);
  return () => cluster;
}

/** Returns the process ids of the workers by their addresses. */
export function workersOf(cluster: Cluster): Map<string, number> {
  // A worker that ends meanwhile is left out.
  const options = python.kw({ on_error: 'ignore' });
  const found = python.toJS(cluster.client['run'](python.import('os')['getpid'], options)) as Record<
    string,
    number
  >;
  return new Map(Object.entries(found));
}

/** Waits until a cluster has this number of workers that run tasks. */
export async function untilWorkers(cluster: Cluster, count: number): Promise<void> {
  await until(() => workersOf(cluster).size === count, 60);
}

/** Waits for a promise that must reject, and returns the error. */
export async function rejection(promise: PromiseLike<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('the promise was not rejected');
}
