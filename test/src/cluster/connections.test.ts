/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return -- what Python gives has no static type */
/** Clusters that commands of Dask started: workers with this package, without it, and in another version; lost schedulers. */

import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterError, connect, NodeLostError, type Cluster } from '../../../src/cluster.ts';
import { python } from '../../../src/index.ts';
import { root } from '../../setup/repository.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { until } from '../../setup/until.ts';
import { rejection, startPython } from './environment.ts';

const children: ChildProcess[] = [];

/** Runs a command of Dask, with or without this package on the module path. */
function dask(args: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn(join(root, '.venv/bin/python'), ['-m', 'dask', ...args], {
    cwd: temporaryFolder(),
    env: { ...process.env, ...environment },
    stdio: 'ignore'
  });
  children.push(child);
  return child;
}

const PACKAGE = { PYTHONPATH: join(root, 'python') };

/** Returns the address in the file of a scheduler; undefined while it is missing or incomplete. */
function addressIn(file: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { address: string }).address;
  } catch {
    return undefined;
  }
}

/** Starts a scheduler, and returns its address once it listens. */
async function scheduler(
  environment: Readonly<Record<string, string>> = {}
): Promise<{ address: string; child: ChildProcess }> {
  const file = join(temporaryFolder(), 'scheduler.json');
  const child = dask(
    ['scheduler', '--host', '127.0.0.1', '--port', '0', '--no-dashboard', '--scheduler-file', file],
    {
      ...PACKAGE,
      ...environment
    }
  );
  await until(() => addressIn(file) !== undefined, 60);
  return { address: addressIn(file) as string, child };
}

/** Starts a worker, without the nanny that Dask adds by default: that is another process, which takes as long to start. */
const worker = (
  address: string,
  environment: Readonly<Record<string, string>> = PACKAGE,
  ...more: string[]
): ChildProcess =>
  dask(['worker', address, '--no-nanny', '--nthreads', '1', '--no-dashboard', ...more], environment);

/** Connects, and waits for workers. */
async function connected(address: string, workers: number): Promise<Cluster> {
  startPython();
  const cluster = await connect(address);
  cluster.client['wait_for_workers'](workers);
  return cluster;
}

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null)
      await new Promise(resolve => child.once('exit', resolve));
  }
});

test('any cluster whose workers have the package takes tasks; workers may join later, with a nanny too', async () => {
  const { address } = await scheduler();
  worker(address, PACKAGE, '--name', 'first');
  await using cluster = await connected(address, 1);
  const add = cluster.fn((x: number, y: number) => x + y);
  expect(await add(1, 2)).toBe(3);
  worker(address, PACKAGE, '--nanny', '--name', 'second');
  expect(await add.with({ workers: ['second'], pure: false })(3, 4)).toBe(7);
}, 120_000);

test('a worker with several threads has one Node', async () => {
  const { address } = await scheduler();
  worker(address, PACKAGE, '--nthreads', '3');
  await using cluster = await connected(address, 1);
  const pids = await cluster.gather(
    await cluster.map(
      cluster.fn((_: number) => process.pid),
      [1, 2, 3]
    )
  );
  expect(new Set(pids).size).toBe(1);
}, 120_000);

test('a worker without the package is named at the connection', async () => {
  const { address } = await scheduler();
  worker(address, {});
  startPython();
  const client = python.import('distributed')['Client'](address);
  client['wait_for_workers'](1);
  const error = await rejection(connect(address));
  expect(error).toBeInstanceOf(ClusterError);
  expect(error.message).toContain("No module named 'stridelab'");
  client['close']();
}, 120_000);

test('another version of the package is refused, with both versions', async () => {
  const { address } = await scheduler();
  worker(address);
  startPython();
  const client = python.import('distributed')['Client'](address);
  client['wait_for_workers'](1);
  const { NodePlugin, require_node: required } = python.import('stridelab.cluster.plugin');
  client['register_plugin'](NodePlugin('0.0.0'));
  expect(() => client['run'](required, '0.0.0')).toThrow(
    /has version .* of stridelab, but the client has 0\.0\.0/
  );
  const error = await rejection(connect(address));
  expect(error).toBeInstanceOf(ClusterError);
  expect(error.message).toContain('runs tasks of version 0.0.0');
  client['close']();
}, 120_000);

test('a Node that does not start is an error of the connection that names the command', async () => {
  const { address } = await scheduler();
  worker(address, { ...PACKAGE, STRIDELAB_NODE: '/bin/false' });
  startPython();
  const client = python.import('distributed')['Client'](address);
  client['wait_for_workers'](1);
  const error = await rejection(connect(address));
  expect(error.message).toMatch(/ended with exit code 1, so it did not start: \/bin\/false/);
  client['close']();
}, 120_000);

test('the loss of the scheduler rejects what waits, and closing does not hang', async () => {
  const { address, child } = await scheduler();
  worker(address);
  const cluster = await connected(address, 1);
  const waits = cluster.fn(async () => {
    await new Promise(() => setInterval(() => undefined, 1_000));
  });
  const waiting = rejection(waits());
  child.kill('SIGKILL');
  expect(await waiting).toBeInstanceOf(ClusterError);
  await cluster.close();
}, 120_000);

test('a worker that answers no more, as behind a cut cable, is given up after the time to live: its task runs elsewhere', async () => {
  const { address } = await scheduler({ DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL: '3s' });
  worker(address, PACKAGE, '--name', 'silent');
  await using cluster = await connected(address, 1);
  const where = cluster.fn(async () => {
    const { python: own } = await import('stridelab');
    const pid = own.import('os')['getpid']() as number;
    // eslint-disable-next-line no-restricted-syntax -- runs on a worker, without the helpers of tests
    await new Promise(resolve => setTimeout(resolve, 500));
    return pid;
  });
  const silent = await where();
  const again = where.with({ pure: false })();
  await until(
    () =>
      Object.values(python.toJS(cluster.client['processing']()) as Record<string, unknown[]>).flat().length >
      0,
    60
  );
  process.kill(silent, 'SIGSTOP');
  worker(address, PACKAGE, '--name', 'other');
  expect(await again).not.toBe(silent);
  process.kill(silent, 'SIGKILL');
}, 120_000);

describe('Python in another process than this', () => {
  test('serves the client too', async () => {
    const program = `
      import { python, arange } from ${JSON.stringify(join(root, 'dist/src/index.js'))};
      import { connect } from ${JSON.stringify(join(root, 'dist/src/cluster.js'))};
      python.start({ python: ${JSON.stringify(join(root, '.venv/bin/python'))}, mode: 'process' });
      const cluster = await connect({ workers: 1, threads: 1 });
      const double = cluster.fn(async x => (await import('stridelab')).add(x, x));
      const [part] = await cluster.scatter([arange(3)]);
      const bad = await cluster.fn(() => { throw new RangeError('no'); })().get().catch(error => error.thrown);
      // eslint-disable-next-line no-console -- what this is about
      console.log(String((await double(part)).toNested()), bad);
      await cluster.close();
      python.close();`;
    const { run } = await import('../../setup/repository.ts');
    const { stdout, output } = await run(process.execPath, ['--input-type=module', '--eval', program]);
    expect({ stdout, output }).toMatchObject({ stdout: '0,2,4 RangeError\n' });
  }, 120_000);
});

test('a function whose plugin is missing is named', async () => {
  const { address } = await scheduler();
  worker(address);
  await using cluster = await connected(address, 1);
  const { TypeScriptFunction } = python.import('stridelab.cluster.tasks');
  const future = cluster.client['submit'](TypeScriptFunction('orphan', 'feed'));
  const error = await rejection(cluster.remote(future));
  expect(error).toBeInstanceOf(NodeLostError);
  expect(error.message).toContain('no plugin for orphan');
}, 120_000);
