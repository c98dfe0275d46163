/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return -- what Python gives has no static type */
/** Functions of TypeScript as tasks: arguments, results, completion, batches, cancellation, and what is refused at submission. */

import { jest } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ClusterError,
  connect,
  currentTask,
  TaskCancelledError,
  type Remote,
  type TaskFunction
} from '../../../src/cluster.ts';
import { arange, ArgumentError, array, python, zeros, type NDArray } from '../../../src/index.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { until } from '../../setup/until.ts';
import { clusterOfTests, rejection, startPython, workersOf } from './environment.ts';

const cluster = clusterOfTests();

describe('arguments and results', () => {
  test('scalars, text and containers travel by value', async () => {
    const echo = cluster().fn((...values: unknown[]) => values);
    const values = [
      1,
      -0.5,
      2n ** 70n,
      true,
      'text ü 😀',
      null,
      [1, [2]],
      { a: { b: [] } },
      new Map([[1, 'x']]),
      new Set([1]),
      new Uint8Array([0, 255])
    ];
    expect(await echo(...values)).toEqual(values);
  });

  test('undefined arrives as undefined, also as the result', async () => {
    const is = cluster().fn((x: unknown) => x === undefined);
    expect(await is(undefined)).toBe(true);
    expect(await cluster().fn(() => undefined)()).toBeUndefined();
  });

  test('arrays arrive as arrays, in containers too, and are read-only', async () => {
    const double = cluster().fn(async (x: NDArray, more: { y: NDArray[] }) => {
      const { add } = await import('stridelab');
      return { first: add(x, x), others: more.y.map(each => add(each, each)), readOnly: x.readOnly };
    });
    const result = await double(arange(3), { y: [array([[1.5]]), zeros([0, 4])] });
    expect(result.first.toNested()).toEqual([0, 2, 4]);
    expect(result.others.map(each => each.toNested())).toEqual([[[3]], []]);
    expect(result.others[1]?.shape).toEqual([0, 4]);
    expect(result.readOnly).toBe(true);
  });

  test.each(['bool', 'int8', 'uint64', 'float16', 'bfloat16', 'complex64', 'float8_e4m3fn'] as const)(
    'arrays of %s keep their dtype, shape and bytes',
    async dtype => {
      const same = cluster().fn((x: NDArray) => x);
      const original = arange(6).astype(dtype).reshape(2, 3);
      const result = await same(original);
      expect([result.dtype.name, result.shape]).toEqual([dtype, [2, 3]]);
      expect(result.toNested()).toEqual(original.toNested());
    }
  );

  test('views with negative strides, 0-d arrays', async () => {
    const same = cluster().fn((x: NDArray) => x);
    expect((await same(arange(4).slice('::-1'))).toNested()).toEqual([3, 2, 1, 0]);
    expect((await same(array(7))).shape).toEqual([]);
  });

  test('remote values are arguments, also inside arrays; tasks run where they lie', async () => {
    const arrays = await cluster().scatter([1, 2, 3, 4].map(count => arange(count * 500_000)));
    const size = cluster().fn((x: NDArray) => x.size);
    const sizes = arrays.map(each => size(each));
    const total = cluster().fn((list: readonly number[]) => list.reduce((a, b) => a + b, 0));
    expect(await total(sizes)).toBe(5_000_000);
    for (const [index, each] of sizes.entries())
      expect(await each.where()).toContain((await (arrays[index] as Remote<NDArray>).where())[0]);
  });

  test('a result that is a Python object stays one', async () => {
    const decimal = cluster().fn(async () => {
      const library = await import('stridelab');

      return library.python.import('decimal')['Decimal']('1.5');
    });
    expect(python.repr(await decimal())).toBe("Decimal('1.5')");
  });

  test('Python in a task is the worker itself', async () => {
    const pids = cluster().fn(async () => {
      const { python: own } = await import('stridelab');
      return [own.import('os')['getpid']() as number, process.ppid];
    });
    const [first, second] = await pids();
    expect(first).toBe(second);
  });

  test('tasks in Python take results of tasks in TypeScript, and the other way round', async () => {
    const make = cluster().fn(async () => (await import('stridelab')).arange(5));
    const made = make();
    const total = cluster().client['submit'](
      python.evaluate('lambda x: float(__import__("numpy").asarray(x).sum())'),
      made.future
    );
    expect(await cluster().remote(total)).toBe(10);
    const numbers = cluster().client['submit'](
      python.evaluate('lambda: __import__("numpy").arange(6.0).reshape(2, 3)')
    );
    const shape = cluster().fn((x: NDArray) => [...x.shape]);
    expect(await shape(cluster().remote<NDArray>(numbers))).toEqual([2, 3]);
  });

  test('imports of files and packages are resolved from the worker, and of Node everywhere', async () => {
    const names = cluster().fn(async () => Object.keys(await import('node:os')).includes('cpus'));
    expect(await names()).toBe(true);
    // @ts-expect-error -- no such package
    const missing = cluster().fn(async () => (await import('no-such-package')) as unknown);
    expect((await rejection(missing())).message).toContain('no-such-package');
  });

  test('what a task prints is printed here', async () => {
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      const prints = cluster().fn((text: string) => {
        // eslint-disable-next-line no-console -- what this is about
        console.log(text);
      });
      await prints('from a worker');
      await until(() => write.mock.calls.some(([text]) => String(text).includes('from a worker')), 60);
    } finally {
      write.mockRestore();
    }
  });
});

describe('keys', () => {
  test('equal calls are one task; with pure: false they are several', async () => {
    const random = cluster().fn((x: number) => x + Math.random(), { name: 'random' });
    const [first, second] = [random(1), random(1)];
    expect(first.key).toBe(second.key);
    expect(first.key).toMatch(/^random-/);
    expect(await first).toBe(await second);
    const [third, fourth] = [random.with({ pure: false })(1), random.with({ pure: false })(1)];
    expect(third.key).not.toBe(fourth.key);
    expect(await third).not.toBe(await fourth);
  });

  test('functions with equal sources are one function; the name is part of the key', () => {
    const [one, other] = [(x: number) => x * 3, (x: number) => x * 3].map(each =>
      cluster().fn(each, { name: 'triple' })
    ) as [TaskFunction<[number], number>, TaskFunction<[number], number>];
    expect(one(5).key).toBe(other(5).key);
    expect(one.with({ key: 'my-key' })(5).key).toBe('my-key');
  });
});

describe('completion', () => {
  test('asCompleted yields tasks as they end, failed ones too', async () => {
    const folder = temporaryFolder();
    const waits = cluster().fn(async (file: string) => {
      const fs = process.getBuiltinModule('node:fs');
      // eslint-disable-next-line no-restricted-syntax -- runs on a worker, without the helpers of tests
      while (!fs.existsSync(file)) await new Promise(resolve => setTimeout(resolve, 5));
      return 'late';
    });
    const fails = cluster().fn((): string => {
      throw new Error('early');
    });
    const writes = cluster().fn((file: string) => {
      process.getBuiltinModule('node:fs').writeFileSync(file, '');
      return 'writer';
    });
    const [one, other] = [...workersOf(cluster()).keys()] as [string, string];
    const late = waits.with({ workers: [one] })(join(folder, 'file'));
    // Dask may send independent tasks to one worker, one behind the other.
    const early = fails.with({ workers: [other] })();
    const seen: string[] = [];
    for await (const task of cluster().asCompleted([late, early])) {
      seen.push(`${task.index} ${task.status}`);
      expect(task.key).toBe(task.remote.key);
      if (task.remote === early) await writes.with({ workers: [other] })(join(folder, 'file'));
    }
    expect(seen).toEqual(['1 error', '0 finished']);
  });

  test('results that arrive while JavaScript waits for the cluster do not stop it', async () => {
    for (const [round, fresh] of [() => 0, () => 1, () => 2, () => 3, () => 4].entries()) {
      const first = cluster()
        .fn(() => 'first')
        .with({ pure: false })();
      const ended = first.then(value => value);
      // The result is watched from the next turn on.
      await new Promise(setImmediate);
      // Blocks the event loop: Python learns of the result, and JavaScript cannot be told.
      while (first.status === 'pending') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      // Sends a new function to all workers, and waits for their answers.
      const second = cluster().fn(fresh)();
      expect([await ended, await second]).toEqual(['first', round]);
    }
  });

  test('asCompleted of none ends at once, and may be left early', async () => {
    for await (const task of cluster().asCompleted([])) throw new Error(task.key);
    const one = cluster().fn(() => 1);
    for await (const task of cluster().asCompleted([one(), one.with({ pure: false })()])) {
      expect(await task.get()).toBe(1);
      break;
    }
  });

  test('gather keeps the order, and rejects with the first error', async () => {
    const square = cluster().fn((x: number) => x * x);
    expect(await cluster().gather([3, 1, 2].map(x => square(x)))).toEqual([9, 1, 4]);
    expect(await cluster().gather([])).toEqual([]);
    const fails = cluster().fn((): number => {
      throw new Error('no');
    });
    await expect(cluster().gather([square(1), fails()])).rejects.toThrow('no');
  });

  test('map submits rows of columns in batches', async () => {
    const plus = cluster().fn((x: number, y: number) => x + y);
    const xs = Array.from({ length: 25 }, (_, index) => index);
    const sums = await cluster().map(plus, xs, xs, { batchSize: 10 });
    expect(await cluster().gather(sums)).toEqual(xs.map(x => 2 * x));
    const [first] = await cluster().map(plus, [sums[1] as Remote<number>], [10]);
    expect(await first).toBe(12);
    expect(await cluster().map(plus, [], [])).toEqual([]);
    await expect(cluster().map(plus, [1], [])).rejects.toThrow(ArgumentError);
    await expect(cluster().map(plus, [1], [1], { batchSize: 0 })).rejects.toThrow('batchSize is 0');
    await expect(cluster().map(((x: number) => x) as never, [1] as never)).rejects.toThrow('cluster.fn');
  });

  test('a thousand concurrent awaits are answered', async () => {
    const increment = cluster().fn((x: number) => x + 1);
    const remotes = await cluster().map(
      increment,
      Array.from({ length: 1_000 }, (_, index) => index)
    );
    const values = await Promise.all(remotes);
    expect(values.reduce((a, b) => a + b, 0)).toBe(500_500);
  }, 60_000);

  test('scatter refuses a single value, and more replicas than workers are as many as there are', async () => {
    await expect(cluster().scatter(arange(3) as never)).rejects.toThrow('[x]');
    const [one] = (await cluster().scatter([1], { replicas: 5 })) as [Remote<number>];
    expect(await one.where()).toHaveLength(2);
  });

  test('a released value is forgotten, and its use is an error', async () => {
    const [one] = (await cluster().scatter([arange(3)])) as [Remote<NDArray>];
    const { key } = one;
    one[Symbol.dispose]();
    await until(() => python.toJS(cluster().client['who_has']())[key] === undefined, 60);
    expect(() => one.status).toThrow('freed');
  });
});

/** Cancels a task while its Node is starting, and returns how it ends. With `again`, the task is needed again before it begins. */
const PROGRAM_OF_START = `
from stridelab.cluster.errors import TaskCancelledError, TypeScriptError
from stridelab.cluster.node import Function
from stridelab.cluster.plugin import NodePlugin

class Starting(NodePlugin):
    def __init__(self, again):
        super().__init__('0')
        self._calls = {}
        self.again = again
        self.calls = 0

    def _running_node(self):
        self.transition('key', 'executing', 'released')
        if self.again:
            self.transition('key', 'cancelled', 'executing')
        return self

    def call(self, key, function, values, began):
        began(1)
        self.calls += 1
        raise TypeScriptError('Error', 'thrown', '')

def outcome(again):
    starting = Starting(again)
    try:
        starting.run('key', Function('digest', 'f', '() => 1'), ())
    except (TaskCancelledError, TypeScriptError) as error:
        return type(error).__name__, starting.calls, starting._calls
`;

describe('cancellation', () => {
  /** Waits for its signal, and writes to a file when it comes. */
  const listens = async (began: string, ended: string): Promise<void> => {
    const { currentTask: current } = await import('stridelab/cluster');
    const fs = process.getBuiltinModule('node:fs');
    fs.writeFileSync(began, '');
    const signal = current()?.signal as AbortSignal;
    await new Promise(resolve => {
      signal.addEventListener('abort', resolve);
    });
    fs.writeFileSync(ended, current()?.key as string);
  };

  test('aborts the signal of the task, and rejects with TaskCancelledError', async () => {
    const folder = temporaryFolder();
    const [began, ended] = [join(folder, 'began'), join(folder, 'ended')];
    const task = cluster().fn(listens)(began, ended);
    const { key } = task;
    await until(() => existsSync(began), 60);
    await task.cancel();
    expect(await rejection(task)).toBeInstanceOf(TaskCancelledError);
    await until(() => existsSync(ended) && readFileSync(ended, 'utf8') === key, 60);
  }, 60_000);

  test('ends a loop that does not listen; other tasks of its process run again', async () => {
    const folder = temporaryFolder();
    await using both = await connect({ workers: 1, threads: 2 });
    const began = join(folder, 'began');
    const loop = both.fn((file: string) => {
      process.getBuiltinModule('node:fs').writeFileSync(file, '');
      for (;;);
    })(began);
    await until(() => existsSync(began), 60);
    const innocent = both.fn((x: number) => x + 1)(1);
    await loop.cancel();
    expect(await innocent).toBe(2);
    expect(await rejection(loop)).toBeInstanceOf(TaskCancelledError);
  }, 60_000);

  test('before it runs keeps it from running', async () => {
    const folder = temporaryFolder();
    const [began, ended, file] = ['began', 'ended', 'file'].map(name => join(folder, name)) as [
      string,
      string,
      string
    ];
    await using single = await connect({ workers: 1, threads: 1 });
    const first = single.fn(listens)(began, ended);
    await until(() => existsSync(began), 60);
    const second = single.fn((path: string) => {
      process.getBuiltinModule('node:fs').writeFileSync(path, '');
    })(file);
    await second.cancel();
    await first.cancel();
    expect(await single.fn(() => 1)()).toBe(1);
    expect(existsSync(file)).toBe(false);
  }, 60_000);

  test('while its Node is starting keeps a task from running, unless it is needed again', () => {
    python.run(PROGRAM_OF_START);
    const outcome = (again: string): unknown => python.toJS(python.evaluate(`outcome(again=${again})`));
    expect(outcome('False')).toEqual(['TaskCancelledError', 0, {}]);
    expect(outcome('True')).toEqual(['TypeScriptError', 1, {}]);
  });

  test('currentTask is undefined outside tasks', () => {
    expect(currentTask()).toBeUndefined();
  });
});

describe('refused at submission', () => {
  const outside = 3;

  test('free names, by name', () => {
    expect(() => cluster().fn((x: number) => x + outside + other())).toThrow(
      'uses outside, other, which workers do not have'
    );
    function other(): number {
      return outside;
    }
  });

  test('not globals of Node, own names, parameters, labels and properties', () => {
    const fine = cluster().fn(function fine({ a = 1, ...rest }: { a?: number }, [b] = [2]) {
      const inner = (c: number): number => (c > 0 ? inner(c - 1) : 0);
      label: for (const key of Object.keys(rest)) if (key === 'x') break label;
      class Own {
        static value = Math.PI;
      }
      // eslint-disable-next-line no-console -- what this is about
      console.assert(typeof structuredClone === 'function', fine.name, arguments.length, globalThis.URL);
      return inner(a + (b ?? 0)) + Own.value + Buffer.alloc(1).length;
    });
    expect(fine.name).toBe('fine');
  });

  test('methods and functions of the engine', () => {
    const holder = {
      method() {
        return 1;
      }
    };
    expect(() => cluster().fn(holder.method.bind(holder))).toThrow(ClusterError);
    expect(() => cluster().fn(Math.max)).toThrow('not a method or a built-in one');
    expect(() => cluster().fn(3 as never)).toThrow(ArgumentError);
  });

  test('arguments without a counterpart in Python', () => {
    const task = cluster().fn((x: unknown) => x);
    expect(() => task(new Date())).toThrow('no counterpart in Python');
  });
});

describe('connect', () => {
  test('to nothing is an error that names the address, within the time limit', async () => {
    startPython();
    const error = await rejection(connect('tcp://127.0.0.1:9', { timeout: 300 }));
    expect(error).toBeInstanceOf(ClusterError);
    expect(error.message).toContain('tcp://127.0.0.1:9');
  }, 60_000);

  test('refuses numbers of workers that are none', async () => {
    await expect(connect({ workers: 0 })).rejects.toThrow(ArgumentError);
    await expect(connect({ threads: 1.5 })).rejects.toThrow(ArgumentError);
  });

  test('to the scheduler of another cluster runs tasks there; closing it leaves the cluster running', async () => {
    const second = await connect(cluster().address);
    expect(await second.fn((x: number) => -x)(1)).toBe(-1);
    await second.close();
    await second.close();
    expect(await cluster().fn((x: number) => -x)(2)).toBe(-2);
  });
});
