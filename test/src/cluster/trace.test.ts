/** One timeline of the work of all workers: lanes by worker, times of one clock, and how well they are aligned. */

import { mergeTraces, type WorkerTrace } from '../../../src/cluster/merged-traces.ts';
import { DISPLAY_METHOD, type NDArray } from '../../../src/index.ts';
import type { TraceEvent } from '../../../src/recording/trace/records.ts';
import { until } from '../../setup/until.ts';
import { clusterOfTests, untilWorkers, workersOf } from './environment.ts';

const event: TraceEvent = {
  number: 0,
  kind: 'kernel',
  name: 'k',
  device: { label: 'cuda:0', name: 'GPU', simulated: false },
  streamId: 1,
  stream: 'stream #1',
  waitsFor: null,
  thread: 1,
  bytes: 0,
  allocatedBytes: null,
  blocks: [],
  array: null,
  cell: null,
  labels: [{ id: 3, text: 'task', asynchronous: false }],
  hostStart: 10,
  hostEnd: 12,
  submitted: 10,
  start: 20,
  end: 30
};
const worker = (name: string, more: Partial<WorkerTrace>): WorkerTrace => ({
  worker: name,
  events: [event],
  dropped: 1,
  origin: 0,
  offset: 0,
  error: 0,
  ...more
});

describe('merged traces', () => {
  test('have lanes by worker, one zero, new numbers, and the sum of dropped records', () => {
    const merged = mergeTraces([
      worker('a', { origin: 1_500, offset: 7, error: 2 }),
      worker('b', { origin: 1_000 })
    ]);
    expect(
      merged.events.map(({ number, device, start, hostStart }) => [number, device?.label, start, hostStart])
    ).toEqual([
      [0, 'b · cuda:0', 20, 10],
      [1, 'a · cuda:0', 520, 510]
    ]);
    expect(new Set(merged.events.map(({ thread }) => thread)).size).toBe(2);
    expect(new Set(merged.events.map(({ labels }) => labels[0]?.id)).size).toBe(2);
    expect(merged.dropped).toBe(2);
    expect(merged.clocks).toEqual([
      { worker: 'a', offset: 7, error: 2 },
      { worker: 'b', offset: 0, error: 0 }
    ]);
  });

  test('keep the virtual time of simulated devices, and times that are unknown', () => {
    const simulated = { ...event, device: { label: 'sim:0', name: 's', simulated: true }, end: null };
    const merged = mergeTraces([
      worker('a', { origin: 100, events: [simulated] }),
      worker('b', { events: [] })
    ]);
    expect(merged.events[0]).toMatchObject({ start: 20, submitted: 10, end: null, hostStart: 110 });
    expect(mergeTraces([]).events).toEqual([]);
  });
});

describe('a trace of a cluster', () => {
  const cluster = clusterOfTests();
  const make = async (n: number): Promise<NDArray> => (await import('stridelab')).full([n], 2);
  const double = async (x: NDArray): Promise<NDArray> => {
    const { add } = await import('stridelab');
    return add(x, x);
  };

  test('has the work of tasks on both workers, labelled with their keys, in the order of their dependencies', async () => {
    await using recording = await cluster().trace();
    const [first, second] = (await cluster().facts()).workers.map(({ address }) => address) as [
      string,
      string
    ];
    const made = cluster()
      .fn(make, { name: 'make' })
      .with({ workers: [first] })(1_000);
    const doubled = cluster()
      .fn(double, { name: 'double' })
      .with({ workers: [second] })(made);
    await doubled;
    const { events, clocks, missing, dropped } = await recording.read();
    expect([missing, dropped]).toEqual([[], 0]);
    expect(clocks).toHaveLength(2);
    // Workers of this machine have its clock: the error is that of reading two clocks.
    for (const { offset, error } of clocks) expect([offset, error < 10_000]).toEqual([0, true]);
    const labels = events.filter(({ kind }) => kind === 'label');
    const range = (key: string): TraceEvent => labels.find(({ name }) => name === key) as TraceEvent;
    const [one, two] = [range(made.key), range(doubled.key)];
    const error = clocks.reduce((sum, clock) => sum + clock.error, 0);
    expect(one.hostEnd).toBeLessThan(two.hostStart + error);
    const devices = new Set(events.map(({ device }) => device?.label).filter(label => label !== undefined));
    expect(devices.size).toBe(2);
    for (const label of devices) expect(label).toMatch(/^worker \d · sim:0$/);
    const bundle = await recording[DISPLAY_METHOD]();
    expect(bundle['text/plain']).toMatch(/Clocks of 2 workers aligned to ± [\d.]+ (µs|ms)\./);
    expect((await recording.toChrome()).traceEvents.length).toBeGreaterThan(4);
  });

  test('does not wait for tasks that run, and stops', async () => {
    const waits = cluster().fn(async () => {
      const { currentTask } = await import('stridelab/cluster');
      const signal = currentTask()?.signal as AbortSignal;
      // Dask calls a task running before its function listens. If the task misses its signal, its Node is ended two seconds later.
      if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve));
    });
    const addresses = (await cluster().facts()).workers.map(({ address }) => address);
    const running = addresses.map(address => waits.with({ workers: [address], pure: false })());
    await until(
      async () => (await cluster().facts()).workers.every(each => (each.running?.tasks.length ?? 0) > 0),
      60
    );
    const recording = await cluster().trace();
    await recording.stop();
    await recording.stop();
    const { clocks } = await recording.read();
    expect(clocks).toHaveLength(2);
    await cluster().cancel(running);
  }, 60_000);

  test('names the worker whose Node has started again, without the records', async () => {
    const recording = await cluster().trace();
    const crash = cluster().fn(() => process.kill(process.pid, 'SIGKILL'));
    const { address, name } = (await cluster().facts()).workers[0] as { address: string; name: string };
    await crash
      .with({ workers: [address], pure: false })()
      .ended();
    expect((await recording.read()).missing).toEqual([`worker ${name}`]);
  });

  test('names the worker whose records are lost', async () => {
    const recording = await cluster().trace();
    const [address, pid] = [...workersOf(cluster())][0] as [string, number];
    const { name } = (await cluster().facts()).workers.find(each => each.address === address) as {
      name: string;
    };
    process.kill(pid, 'SIGKILL');
    await until(() => !workersOf(cluster()).has(address), 60);
    const { missing, clocks } = await recording.read();
    expect(missing).toEqual([`worker ${name}`]);
    expect(clocks).toHaveLength(1);
    await untilWorkers(cluster(), 2);
  }, 60_000);
});
