/** One static picture of each view, made by the library in a separate process, or for a cluster from given facts. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { ensureExtension } from '../../scripts/setup/extension.mjs';
import { ARRAY_MIME_TYPE } from '../../src/pictures/kit/live-messages.ts';
import { describeCluster } from '../../src/pictures/cluster/describe.ts';
import { PICTURE_MIME_TYPE, type StaticPicture } from '../../src/pictures/kit/live-messages.ts';
import { clusterFacts, workerFacts } from '../setup/cluster-facts.ts';
import { launchPicture } from '../setup/launch-record.ts';
import { root } from '../setup/repository.ts';
import { launchBrowser } from './launch-browser.ts';

export interface SamplePicture extends StaticPicture {
  /** A name for files: `device-card`. */
  readonly name: string;
}

const PROGRAM = `
  import { add, arange, ARRAY_MIME_TYPE, asCudaArray, describeArray, devices, exchanges, Stream, trace, zeros } from ${JSON.stringify(pathToFileURL(join(root, 'dist/src/index.js')).href)};
  trace.start();
  const [first, second] = [new Stream({ priority: -1 }), new Stream({ blocking: true })];
  const a = arange(1 << 20, { dtype: 'float32', stream: first });
  const b = zeros(1 << 20, { dtype: 'float32', stream: second });
  const { memoryLog } = await import(${JSON.stringify(pathToFileURL(join(root, 'dist/src/index.js')).href)});
  memoryLog.start();
  const held = [3, 1, 2].map(scale => zeros(scale << 18, { dtype: 'float32', stream: first }));
  held[1].dispose();
  trace.label('sum', () => add(a, b, { stream: second }));
  second.synchronize();
  exchanges.start();
  a.fill(1, { stream: first });
  asCudaArray({ get __cuda_array_interface__() { return a.__cuda_array_interface__; } }, { stream: second, sync: false });
  const device = devices().find(({ simulated }) => simulated);
  const view = arange(48, { dtype: 'float32', stream: first }).reshape(6, 8).slice(null, '::-2');
  const values = {
    memory: memoryLog,
    'array-result': view,
    'device-card': device,
    'stream-pill': second,
    handshake: exchanges,
    trace
  };
  const shown = Object.entries(values).map(([name, value]) => [name, value[Symbol.for('Jupyter.display')]()]);
  shown.push(['array', { [ARRAY_MIME_TYPE]: describeArray(view, { preview: true }) }]);
  process.stdout.write(JSON.stringify(shown));
`;

/** A cluster with a long name, a busy worker and one that does not answer. */
function clusterPicture(): unknown {
  const [, ...others] = clusterFacts(8).workers;
  const long = workerFacts(0, {
    name: 'a-worker-with-a-name-that-a-scheduler-of-jobs-made-from-everything-that-it-was-told-0',
    status: 'paused',
    memory: { managed: 2 ** 33, process: 2 ** 34 - 1, spilled: 2 ** 31, limit: 2 ** 34 },
    node: { pid: 7, state: 'lost', restarts: 3 },
    silentMs: 42_000
  });
  const facts = clusterFacts(8, { workers: [long, ...others] });
  return describeCluster({
    facts,
    problem: 'the scheduler tcp://10.0.0.1:8786 did not answer within 5 s',
    closed: false
  });
}

/** A launch with a long line, a misaligned read, a bank conflict, a branch and a fault. */
function launchSample(): unknown {
  const long = `// ${'a comment that is longer than the column '.repeat(4)}`;
  const text = `(x, y) => {\n  const i = cuda.grid(1); ${long}\n  y[i] = x[i + 1];\n  s[4 * i] = 0;\n  if (i < 40) return;\n}`;
  const picture = launchPicture(
    [
      { line: 3, offset: lane => 4 * lane + 4 },
      { line: 3, kind: 'write', array: 1 },
      { line: 3, kind: 'write', array: 1, warp: 1, lanes: 0xff },
      { line: 4, kind: 'write', array: 2, offset: lane => 16 * lane },
      { line: 5, into: 0xff }
    ],
    { text }
  );
  const message =
    'y[0] is used by two threads without a barrier between: thread (1, 0, 0) of block (0, 0, 0)';
  return { ...picture, faults: [{ row: 2, kind: 'race', message }] };
}

/** Runs the library that `tsc` built, and returns its pictures. */
function samplePictures(): SamplePicture[] {
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    // No GPU is needed, so that these tests need not queue for one; two simulated devices have peer information.
    env: { ...process.env, STRIDELAB_DEVICE: 'sim:0', STRIDELAB_SIM_DEVICES: '2' }
  });
  const bundles = JSON.parse(printed) as [string, Record<string, unknown>][];
  const made = bundles.flatMap(([name, bundle]) => {
    if (ARRAY_MIME_TYPE in bundle) return { name, view: 'ArrayInspector', picture: bundle[ARRAY_MIME_TYPE] };
    if (PICTURE_MIME_TYPE in bundle) return { name, ...(bundle[PICTURE_MIME_TYPE] as StaticPicture) };
    return [];
  });
  return [
    ...made,
    { name: 'cluster', view: 'ClusterView', picture: clusterPicture() },
    { name: 'launch', view: 'LaunchView', picture: launchSample() }
  ];
}

export let browser: Browser;
export let samples: SamplePicture[];

/** The pictures, and a browser to draw them in, for all tests of the file. */
export function withSamples(): void {
  beforeAll(async () => {
    await ensureExtension();
    samples = samplePictures();
    browser = await launchBrowser();
  }, 60_000);
  afterAll(() => browser?.close());
}
