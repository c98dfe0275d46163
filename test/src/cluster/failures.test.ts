/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- what Python gives has no static type */
/** What users get when a function throws, or a process of the cluster ends: real processes, really killed. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  connect,
  KilledWorkerError,
  NodeLostError,
  TypeScriptError,
  type Remote
} from '../../../src/cluster.ts';
import {
  arange,
  PeerLostError,
  python,
  PythonError,
  type NDArray,
  type PyObject
} from '../../../src/index.ts';
import { runs } from '../../setup/processes.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { until } from '../../setup/until.ts';
import { clusterOfTests, rejection, startPython, untilWorkers, workersOf } from './environment.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** Waits for a file, which a task writes, and returns its text. */
async function textOf(file: string): Promise<string> {
  await until(() => existsSync(file) && readFileSync(file, 'utf8') !== '', 60);
  return readFileSync(file, 'utf8');
}

/** A function whose first run, by a counter in a file, kills its process. */
const crashesOnce = (file: string, signal: string): number => {
  const fs = process.getBuiltinModule('node:fs');
  fs.appendFileSync(file, 'x');
  const count = fs.readFileSync(file, 'utf8').length;
  if (count === 1) process.kill(process.pid, signal);
  return count;
};

/** Writes the ids of the worker and of its Node to a file, and waits until another file exists. */
const waitFor = async (note: string, go: string): Promise<number> => {
  const fs = process.getBuiltinModule('node:fs');
  fs.writeFileSync(note, JSON.stringify({ worker: process.ppid, node: process.pid }));
  // eslint-disable-next-line no-restricted-syntax -- runs on a worker, without the helpers of tests
  while (!fs.existsSync(go)) await new Promise(resolve => setTimeout(resolve, 5));
  return 42;
};

describe('a function that throws', () => {
  const cluster = clusterOfTests();

  test('rejects with TypeScriptError: class, message, and the frames of the function', async () => {
    const fails = cluster().fn(function fails(x: number) {
      const inner = (): never => {
        throw new RangeError(`no ${x}`);
      };
      return inner();
    });
    const error = (await rejection(fails(3))) as TypeScriptError;
    expect(error).toBeInstanceOf(TypeScriptError);
    expect(error.thrown).toBe('RangeError');
    expect(error.message).toMatch(/^RangeError: no 3\n\(task fails-[0-9a-f]+\)$/);
    const frames = error.stack?.split('\n').filter(line => line.startsWith('    at')) ?? [];
    expect(frames).toHaveLength(2);
    expect(frames[0]).toMatch(/inner \(.*fails\.task\.js:\d+:\d+\)/);
  });

  test('asynchronously, and with a value that is no error, rejects alike', async () => {
    const later = cluster().fn(async () => {
      await Promise.resolve();
      throw new TypeError('later');
    });
    expect(await rejection(later())).toMatchObject({ thrown: 'TypeError' });
    const text = cluster().fn(() => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- what this is about
      throw 'just text';
    });
    expect((await rejection(text())).message).toContain('just text');
  });

  test('is run once, and with retries as often as Dask counts them', async () => {
    const fails = cluster().fn((file: string) => {
      const fs = process.getBuiltinModule('node:fs');
      fs.appendFileSync(file, 'x');
      throw new Error('always');
    });
    const [once, thrice] = [join(folder, 'once'), join(folder, 'thrice')];
    await rejection(fails(once));
    await rejection(fails.with({ retries: 2 })(thrice));
    expect(readFileSync(once, 'utf8')).toBe('x');
    expect(readFileSync(thrice, 'utf8')).toBe('xxx');
  });

  test('fails the tasks that need its result, with the same error', async () => {
    const fails = cluster().fn((): number => {
      throw new RangeError('root');
    });
    const increment = cluster().fn((x: number) => x + 1);
    expect(await rejection(increment(fails()))).toMatchObject({ thrown: 'RangeError' });
  });

  test('in Python rejects with PythonError', async () => {
    const future = cluster().client['submit'](python.evaluate('lambda: 1 / 0'));
    expect(await rejection(cluster().remote(future))).toMatchObject({ type: 'ZeroDivisionError' });
    expect(await rejection(cluster().remote(future))).toBeInstanceOf(PythonError);
  });

  test('by its result: values without a counterpart in Python, and functions', async () => {
    const regexp = cluster().fn(() => /x/);
    expect((await rejection(regexp())).message).toContain('RegExp');
    const function_ = cluster().fn(() => [() => 1]);
    expect((await rejection(function_())).message).toContain('cannot return a function');
  });
});

describe('a Node process that ends', () => {
  const cluster = clusterOfTests();

  test.each(['SIGSEGV', 'SIGKILL'])(
    'by %s rejects with NodeLostError, and the next task is fine',
    async signal => {
      const crashes = cluster().fn(crashesOnce, { name: 'crashes' });
      const error = await rejection(crashes(join(folder, 'runs'), signal));
      expect(error).toBeInstanceOf(NodeLostError);
      expect(error.message).toMatch(new RegExp(`was ended by ${signal} while it ran crashes`));
      expect(await cluster().fn((x: number) => x + 1)(1)).toBe(2);
    }
  );

  test('by process.exit names the exit code, and its standard error', async () => {
    const exits = cluster().fn(() => {
      process.stderr.write('last words\n');
      process.exit(7);
    });
    const { message } = await rejection(exits());
    expect(message).toContain('ended with exit code 7');
    expect(message).toContain('last words');
  });

  test('is repeated with retries', async () => {
    const crashes = cluster().fn(crashesOnce);
    expect(await crashes.with({ retries: 1 })(join(folder, 'runs'), 'SIGSEGV')).toBe(2);
  });

  test('while a promise is pending rejects too', async () => {
    const [note, go] = [join(folder, 'note'), join(folder, 'go')];
    const waiting = cluster().fn(waitFor)(note, go);
    const { node } = JSON.parse(await textOf(note)) as { node: number };
    process.kill(node, 'SIGKILL');
    expect(await rejection(waiting)).toBeInstanceOf(NodeLostError);
  });
});

describe('a worker that is killed', () => {
  const cluster = clusterOfTests();

  test('in the middle of a task: the task runs again, its Node ends with it, and the nanny restarts both', async () => {
    const [note, go] = [join(folder, 'note'), join(folder, 'go')];
    const waiting = cluster().fn(waitFor)(note, go);
    const { worker, node } = JSON.parse(await textOf(note)) as { worker: number; node: number };
    process.kill(worker, 'SIGKILL');
    await until(() => !runs(node), 60);
    writeFileSync(go, '');
    expect(await waiting).toBe(42);
    await untilWorkers(cluster(), 2);
    const pid = cluster().fn(() => process.ppid);
    const addresses = [...workersOf(cluster()).keys()];
    const both = await cluster().gather(
      addresses.map(address => pid.with({ workers: [address], pure: false })())
    );
    expect(new Set(both)).toEqual(new Set(workersOf(cluster()).values()));
  }, 120_000);

  test('in the middle of a loop that never returns to the event loop: Node ends with it', async () => {
    const [note, go] = [join(folder, 'note'), join(folder, 'go')];
    const busy = cluster().fn((noted: string, ready: string) => {
      const fs = process.getBuiltinModule('node:fs');
      fs.writeFileSync(noted, JSON.stringify({ worker: process.ppid, node: process.pid }));
      while (!fs.existsSync(ready));
    });
    const running = busy(note, go);
    const { worker, node } = JSON.parse(await textOf(note)) as { worker: number; node: number };
    process.kill(worker, 'SIGKILL');
    await until(() => !runs(node), 60);
    writeFileSync(go, '');
    await running;
    await untilWorkers(cluster(), 2);
  }, 120_000);

  test('a computed array is computed again', async () => {
    const make = cluster().fn(async (n: number) => {
      const library = await import('stridelab');
      return library.arange(n);
    });
    const array = make(4);
    await array.ended();
    const [address] = await array.where();
    process.kill(workersOf(cluster()).get(address as string) as number, 'SIGKILL');
    await untilWorkers(cluster(), 2);
    expect(((await array) as NDArray).toNested()).toEqual([0, 1, 2, 3]);
  }, 120_000);

  test('a scattered array is lost: PeerLostError, which names replicas, for it and for tasks that need it', async () => {
    const [array] = (await cluster().scatter([arange(4)])) as [Remote<NDArray>];
    const [address] = await array.where();
    process.kill(workersOf(cluster()).get(address as string) as number, 'SIGKILL');
    await until(() => array.status !== 'finished', 60);
    const error = await rejection(array);
    expect(error).toBeInstanceOf(PeerLostError);
    expect(error.message).toContain('replicas: 2');
    const length = cluster().fn((x: NDArray) => x.size);
    expect(await rejection(length(array))).toBeInstanceOf(PeerLostError);
    await untilWorkers(cluster(), 2);
  }, 120_000);

  test('a scattered array with two replicas is kept', async () => {
    const [array] = (await cluster().scatter([arange(5)], { replicas: 2 })) as [Remote<NDArray>];
    const [address] = await array.where();
    expect(await array.where()).toHaveLength(2);
    process.kill(workersOf(cluster()).get(address as string) as number, 'SIGKILL');
    await untilWorkers(cluster(), 2);
    expect((await array).size).toBe(5);
  }, 120_000);
});

describe('a worker that is away for longer than Dask waits for lost workers', () => {
  const cluster = clusterOfTests({ workers: 1 });
  const timeout = (value: string): void => {
    const options = python.kw({ 'distributed.deploy.lost-worker-timeout': value });
    python.import('dask')['config']['set'](options);
  };
  afterEach(() => {
    timeout('15s');
  });

  test('comes back, and stays', async () => {
    timeout('1ms');
    const [pid] = [...workersOf(cluster()).values()] as [number];
    process.kill(pid, 'SIGKILL');
    await until(() => !runs(pid), 60);
    await untilWorkers(cluster(), 1);
    expect(await cluster().fn(() => process.ppid)()).not.toBe(pid);
    const states = python.evaluate(
      'lambda cluster: [nanny.status.name for nanny in cluster.workers.values()]'
    ) as unknown as (cluster: PyObject) => PyObject;
    expect(python.toJS(states(cluster().client['cluster']))).toEqual(['running']);
  }, 120_000);
});

describe('a task that kills worker after worker', () => {
  test('is not run for ever: KilledWorkerError, with the source', async () => {
    startPython();
    python.import('dask')['config']['set'](python.kw({ 'distributed.scheduler.allowed-failures': 1 }));
    await using cluster = await connect({ workers: 2, threads: 1 });
    const kills = cluster.fn(function kills() {
      process.kill(process.ppid, 'SIGKILL');
    });
    const error = await rejection(kills());
    expect(error).toBeInstanceOf(KilledWorkerError);
    expect(error.message).toContain('process.kill(process.ppid');
  }, 120_000);
});
