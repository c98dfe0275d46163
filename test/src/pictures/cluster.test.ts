/** The picture of a cluster: its data, HTML and text. */

import type { ClusterFacts } from '../../../src/cluster/facts.ts';
import { describeCluster } from '../../../src/pictures/cluster/describe.ts';
import { nameWorkers, speedOf } from '../../../src/pictures/cluster/names.ts';
import { renderCluster } from '../../../src/pictures/cluster/render.ts';
import type { ClusterPicture } from '../../../src/pictures/cluster/schema.ts';
import { addressOf, clusterFacts, workerFacts } from '../../setup/cluster-facts.ts';

const pictureOf = (
  facts: ClusterFacts | null,
  problem: string | null = null,
  closed = false
): ClusterPicture => describeCluster({ facts, problem, closed });
const textOf = (facts: ClusterFacts | null, problem: string | null = null, closed = false): string =>
  renderCluster(pictureOf(facts, problem, closed)).text;

test('short silence of a worker is no difference between two reads, long silence is', () => {
  const at = (silentMs: number): unknown =>
    pictureOf(clusterFacts(1, { workers: [workerFacts(0, { silentMs })] })).facts?.workers[0]?.silentMs;
  expect([at(10), at(900), at(14_999), at(60_000)]).toEqual([0, 0, 0, 60_000]);
});

test('the text has the totals, a row for each worker, transfers and the failures, newest first', () => {
  const text = textOf(clusterFacts(2));
  expect(text).toContain('Cluster tcp://10.0.0.1:8786: 2 workers, 4 threads\n');
  expect(text).toContain('Dask 2026.8.0, dashboard http://10.0.0.1:8787/status');
  expect(text).toContain('Tasks: 4 waiting, 1200 queued, 6 processing, 24 in memory, 1 failed');
  expect(text).toMatch(
    /\n {2}1 {7}10\.0\.0\.2 {2}running {2}2 {8}3 GiB of 16 GiB, 2 GiB results .*4 GiB of 80 GiB {2}running {2}scale 1\.5 s\n/
  );
  expect(text).toMatch(/\n {2}0 {5}1 {3}2 GiB {2}8 {10}4\.77 GB\/s\n/);
  expect(text).toMatch(
    /failed: \d\d:14:20 UTC: 10\.0\.9\.9:40009: worker lost: .*\nfailed: \d\d:13:20 UTC: scale on 0: TypeScriptError: RangeError/
  );
});

test('says what is not known, not there, or not current', () => {
  expect(textOf(null)).toBe('Cluster: the scheduler has not answered yet');
  expect(textOf(null, 'no answer')).toBe('Cluster: no answer');
  expect(textOf(clusterFacts(0))).toContain(': no workers yet, 0 threads\n');
  expect(textOf(clusterFacts(0))).not.toContain('Workers:');
  expect(textOf(clusterFacts(1), 'the scheduler did not answer')).toMatch(
    /1 worker, 2 threads, scheduler lost\nthe scheduler did not answer\. This is the last state\./
  );
  expect(textOf(clusterFacts(1), null, true)).toContain('The connection was closed. This is the last state.');
  const refused = textOf(clusterFacts(1, { tasks: null, refusal: 'another Python' }));
  expect(refused).toContain('Tasks and failures are unknown: another Python');
});

test('shows what is special about a worker', () => {
  const worker = workerFacts(0, {
    status: 'paused',
    silentMs: 42_000,
    gpus: [],
    node: { pid: null, state: 'lost', restarts: 2 },
    memory: { managed: 1, process: 2048, spilled: 4096, limit: 0 },
    running: null,
    processing: 5
  });
  const text = textOf(clusterFacts(1, { workers: [worker] }));
  expect(text).toContain('paused, no heartbeat for 42 s');
  expect(text).toContain('2 KiB, 1 B results, 4 KiB spilled');
  expect(text).toContain('lost, 2 restarts');
  expect(text).toContain('5 sent');
  const busy = workerFacts(0, { running: { tasks: [{ key: 'a-1', name: 'a', ms: 90_000 }], more: 3 } });
  expect(textOf(clusterFacts(1, { workers: [busy] }))).toContain('a 1 min 30 s, 3 more');
});

test('HTML is escaped, and no field is markup', () => {
  const evil = '<script>alert(1)</script>';
  const facts = clusterFacts(1, {
    scheduler: evil,
    dashboard: `javascript:${evil}`,
    dask: evil,
    workers: [
      workerFacts(0, {
        name: evil,
        host: evil,
        status: evil,
        node: { pid: 1, state: evil, restarts: 0 },
        gpus: [{ name: evil, memoryUsed: 0, memoryTotal: 1 }],
        running: { tasks: [{ key: evil, name: evil, ms: 1 }], more: 0 }
      })
    ],
    transfers: [{ from: evil, to: evil, bytes: 1, count: 1, ms: 0 }],
    failures: [{ key: evil, name: evil, worker: evil, type: evil, message: evil, at: 0 }],
    refusal: evil
  });
  for (const picture of [pictureOf(facts), pictureOf(facts, evil), pictureOf(null, evil)]) {
    const { html } = renderCluster(picture);
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toMatch(/<(script|a|img)\b/);
  }
});

test('the largest picture has less than 64 KB, and its HTML less than 10 KB', () => {
  const long = 'x'.repeat(60);
  const task = { key: 'y'.repeat(80), name: long, ms: 12_345 };
  const workers = Array.from({ length: 64 }, (_, index) =>
    workerFacts(index, {
      name: long,
      gpus: [{ name: 'NVIDIA H100 80GB HBM3', memoryUsed: 85_899_345_920, memoryTotal: 85_899_345_920 }],
      running: { tasks: [task], more: 40 }
    })
  );
  const facts = clusterFacts(64, {
    workers,
    transfers: Array.from({ length: 96 }, (_, index) => ({
      from: addressOf(index % 64),
      to: addressOf((index + 1) % 64),
      bytes: 123_456_789_012,
      count: 123_456,
      ms: 12_345
    })),
    failures: Array.from({ length: 12 }, (_, index) => ({
      key: task.key,
      name: long,
      worker: addressOf(index),
      type: 'TypeScriptError',
      message: 'm'.repeat(300),
      at: 1_790_000_000_000
    })),
    omitted: { workers: 936, transfers: 5000 }
  });
  const picture = pictureOf(facts);
  expect(JSON.stringify(picture).length).toBeLessThan(64 * 1024);
  const { html, text } = renderCluster(picture);
  expect(Buffer.byteLength(html)).toBeLessThan(10_000);
  expect(text).toContain('  and 984 more\n');
});

test('names of workers are theirs, and otherwise their addresses without the protocol', () => {
  const nameOf = nameWorkers([
    { address: 'tcp://a:1', name: 'first' },
    { address: 'ucx://b:2', name: 'ucx://b:2' }
  ]);
  expect(['tcp://a:1', 'ucx://b:2', 'tcp://c:3'].map(nameOf)).toEqual(['first', 'b:2', 'c:3']);
  expect(speedOf({ from: '', to: '', bytes: 2_345_000_000, count: 1, ms: 1000 })).toBe('2.35 GB/s');
  expect(speedOf({ from: '', to: '', bytes: 1, count: 1, ms: 0 })).toBe('');
});
