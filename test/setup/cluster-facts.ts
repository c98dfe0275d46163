/** Facts of a cluster, as the scheduler would report them. */

import type { ClusterFacts, WorkerFacts } from '../../src/cluster/facts.ts';

const GIB = 2 ** 30;

export const addressOf = (index: number): string =>
  `tcp://10.0.${Math.floor(index / 8)}.${1 + (index % 8)}:4${1000 + index}`;

export function workerFacts(index: number, changes: Partial<WorkerFacts> = {}): WorkerFacts {
  return {
    address: addressOf(index),
    name: String(index),
    host: `10.0.${Math.floor(index / 8)}.${1 + (index % 8)}`,
    threads: 2,
    status: 'running',
    silentMs: 0,
    gpus: [{ name: 'NVIDIA H100 80GB HBM3', memoryUsed: (3 + index) * GIB, memoryTotal: 80 * GIB }],
    memory: { managed: 2 * GIB, process: 3 * GIB, spilled: 0, limit: 16 * GIB },
    node: { pid: 4000 + index, state: 'running', restarts: 0 },
    stored: 12,
    processing: 3,
    running: { tasks: [{ key: `scale-${index}ab42`, name: 'scale', ms: 1500 }], more: 0 },
    ...changes
  };
}

/** Facts of a cluster with `count` workers, each of which received data from the one before it. */
export function clusterFacts(count: number, changes: Partial<ClusterFacts> = {}): ClusterFacts {
  const workers = Array.from({ length: count }, (_, index) => workerFacts(index));
  return {
    scheduler: 'tcp://10.0.0.1:8786',
    dashboard: 'http://10.0.0.1:8787/status',
    dask: '2026.8.0',
    threads: 2 * count,
    workers,
    tasks: { waiting: 4, queued: 1200, unplaced: 0, processing: 3 * count, memory: 12 * count, erred: 1 },
    transfers: workers.slice(1).map(({ address }, index) => ({
      from: addressOf(index),
      to: address,
      bytes: (count - index) * GIB,
      count: 8,
      ms: 450
    })),
    failures:
      count === 0
        ? []
        : [
            {
              key: 'scale-9c1e',
              name: 'scale',
              worker: addressOf(0),
              type: 'TypeScriptError',
              message: 'RangeError: k must not be negative',
              at: 1_790_000_000_000
            },
            {
              key: null,
              name: null,
              worker: 'tcp://10.0.9.9:40009',
              type: 'worker lost',
              message: '2 tasks run again, 1 result is computed again',
              at: 1_790_000_060_000
            }
          ],
    omitted: { workers: 0, transfers: 0 },
    refusal: null,
    ...changes
  };
}
