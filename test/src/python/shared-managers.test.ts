/** One memory manager for this library and Python's libraries: on the simulated device, with stand-ins for missing libraries. */

import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { jest } from '@jest/globals';

import {
  BestFitPoolMemoryManager,
  currentManager,
  FailureCallbackAdaptor,
  LimitingAdaptor,
  LoggingAdaptor,
  StatisticsAdaptor,
  usingMemoryManager,
  type AllocationStatistics,
  type MemoryManagerClass
} from '../../../src/memory/index.ts';
import { ArgumentError, full, python, Stream, zeros } from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';
import type { LibraryShare, PyObject } from '../../../src/python/index.ts';
import { thrown } from './asking.ts';
import { describeWith, obstacle, pythonOfTests } from './environment.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const logs = temporaryFolder();

if (obstacle === null) python.start({ python: pythonOfTests });

/** Counts allocations from the pool. */
const Counting = (): MemoryManagerClass => StatisticsAdaptor.over(BestFitPoolMemoryManager);

/** Processes frees that are ready, and then those whose work has to be waited for. */
function settle(): void {
  native().drainReleases();
  native().drainReleases(true);
}

function statistics(): AllocationStatistics {
  settle();
  return (currentManager() as StatisticsAdaptor).statistics();
}

function run(source: string): void {
  python.run(source);
}

/** The error with which the source ends. */
const raised = (source: string): Error => thrown(() => python.run(source));

const MESSAGE = /exceed the limit of 1000 bytes/;

describeWith([], 'shareMemoryManager', () => {
  test('reports a library that is not installed, and an unknown one', () => {
    run('import sys; sys.modules.pop("rmm", None)');
    const { libraries } = python.shareMemoryManager(['rmm']);
    expect(libraries).toEqual<LibraryShare[]>([
      { library: 'rmm', outcome: 'not-installed', reason: 'this Python has no module rmm' }
    ]);
    expect(() => python.shareMemoryManager(['jax' as 'rmm'])).toThrow(ArgumentError);
    expect(() => python.shareMemoryManager(['jax' as 'rmm'])).toThrow(
      'unknown library jax: expected numba, numba_cuda_mlir, cupy, torch, rmm'
    );
  });

  describe('with CuPy and RMM', () => {
    beforeAll(() => {
      python.run(`import sys; sys.path.insert(0, ${JSON.stringify(join(import.meta.dirname, 'stand-ins'))})`);
      python.run('import cupy, rmm, threading, gc');
      python.run('from cupy.cuda import alloc, Stream');
    });

    test('the manager is accepted, twice as well, and undoing restores the previous one', () => {
      run('before = cupy.cuda.get_allocator(), rmm.mr.get_per_device_resource(0)');
      const first = python.shareMemoryManager(['cupy', 'rmm']);
      const second = python.shareMemoryManager(['cupy', 'rmm']);
      for (const { libraries } of [first, second])
        expect(libraries.map(({ outcome }) => outcome)).toEqual(['taken', 'taken']);
      run('assert cupy.cuda.get_allocator() is not before[0]');
      expect(first.undo().size).toBe(0);
      run('assert cupy.cuda.get_allocator() is before[0]');
      run('assert rmm.mr.get_per_device_resource(0) is before[1]');
      expect(second.undo().size).toBe(0);
      first[Symbol.dispose]();
      run('assert cupy.cuda.get_allocator() is before[0]');
    });

    test('a library that refuses reports why', () => {
      run('inside = cupy.cuda.using_allocator(); inside.__enter__()');
      const [share] = python.shareMemoryManager(['cupy']).libraries;
      run('inside.__exit__(None, None, None)');
      expect(share?.outcome).toBe('unusable');
      expect(share?.reason).toContain('using_allocator');
    });

    test('undoing leaves an allocator that was set in the meantime', () => {
      const shared = python.shareMemoryManager(['cupy']);
      run('other = lambda size: None; cupy.cuda.set_allocator(other)');
      shared.undo();
      run('assert cupy.cuda.get_allocator() is other; cupy.cuda.set_allocator(None)');
    });

    describe('with the manager in use', () => {
      let shared: ReturnType<typeof python.shareMemoryManager>;
      beforeEach(() => {
        shared = python.shareMemoryManager(['cupy', 'rmm']);
      });
      afterEach(() => {
        run('x = y = z = None; gc.collect()');
        settle();
        expect(shared.usage.held).toBe(0);
        shared.undo();
      });

      test('their memory comes from the current manager, and is returned to it', () => {
        using _ = usingMemoryManager(Counting());
        run('x = alloc(1000); y = rmm.DeviceBuffer(2000); z = alloc(0)');
        using ours = zeros([4], { dtype: 'uint8' });
        expect(statistics()).toMatchObject({ currentBytes: 3004, currentCount: 3 });
        expect(shared.usage).toEqual({ held: 2, beside: { count: 0, bytes: 0 } });
        run('import ctypes; ctypes.memset(x.ptr, 7, 1000); y = None');
        expect(statistics().currentBytes).toBe(1004);
        run('x = None');
        expect(statistics()).toMatchObject({ currentBytes: 4, totalBytes: 3004 });
        ours.dispose();
        expect(statistics().currentBytes).toBe(0);
      });

      test('rule 218: one log has the allocations of all libraries', () => {
        const path = join(mkdtempSync(join(logs, 'log-')), 'log.csv');
        using _ = usingMemoryManager(LoggingAdaptor.over(BestFitPoolMemoryManager, { path, flush: true }));
        const log = currentManager() as LoggingAdaptor;
        run('x = alloc(1111); y = rmm.DeviceBuffer(2222); x = None; y = None');
        zeros([3333], { dtype: 'uint8' }).dispose();
        settle();
        const rows = readFileSync(log.path, 'utf8').trim().split('\n').slice(1);
        const of = (action: string): string[] =>
          rows
            .map(row => row.split(','))
            .filter(row => row[2] === action)
            .map(row => row[4] ?? '');
        expect(of('allocate')).toEqual(['1111', '2222', '3333']);
        expect(of('free').sort()).toEqual(['1111', '2222', '3333']);
      });

      test('memory of a scope stays with its manager', () => {
        const outer = usingMemoryManager(Counting());
        run('x = alloc(500)');
        const manager = currentManager() as StatisticsAdaptor;
        outer[Symbol.dispose]();
        using _ = usingMemoryManager(Counting());
        run('y = alloc(100); x = None');
        settle();
        expect(manager.statistics().currentBytes).toBe(0);
        expect(statistics().currentBytes).toBe(100);
      });

      test('rule 232: a block is reused in the order of its stream, and by other streams when that work is done', () => {
        using _ = usingMemoryManager(class extends BestFitPoolMemoryManager {});
        const [s, t] = [new Stream(), new Stream()];
        using busy = zeros([1 << 22], { stream: s });
        python.run(`s = ${s.handle}; t = ${t.handle}`);
        full([1 << 22], 1, { stream: s }).dispose();
        run(`
with Stream(s):
  x = alloc(4096)
first = x.ptr
with Stream(s):
  x = None
`);
        expect(s.query()).toBe(false);
        native().drainReleases();
        expect((currentManager() as BestFitPoolMemoryManager).statistics().keptBlocks).toBeGreaterThan(0);
        run(`
with Stream(t):
  y = alloc(4096)
with Stream(s):
  z = alloc(4096)
assert y.ptr != first, "the other stream has it too early"
assert z.ptr == first, "its own stream does not have it at once"
with Stream(t): y = None
with Stream(s): z = None
`);
        busy.dispose();
        settle();
      });

      test('rule 232: a block released on another stream outlasts the work of both', () => {
        using _ = usingMemoryManager(class extends BestFitPoolMemoryManager {});
        const [s, t] = [new Stream(), new Stream()];
        python.run(`s = ${s.handle}; t = ${t.handle}`);
        run('with Stream(s): x = alloc(4096)');
        s.synchronize();
        full([1 << 22], 1, { stream: t }).dispose();
        run('first = x.ptr\nwith Stream(t): x = None');
        native().drainReleases();
        expect(t.query()).toBe(false);
        expect(s.query()).toBe(true);
        run('with Stream(s): y = alloc(4096)');
        // A wait on the device allows the memory of x again; without one the pool returns other memory.
        run('same = y.ptr == first');
        expect(python.evaluate('same') === s.query()).toBe(false);
        settle();
      });

      test("rule 209: out of memory is the library's own error, with the manager's message", () => {
        using _ = usingMemoryManager(LimitingAdaptor.over(BestFitPoolMemoryManager, { bytes: 1000 }));
        expect(raised('alloc(2000)')).toMatchObject({ type: 'cupy.cuda.memory.OutOfMemoryError' });
        expect(raised('alloc(2000)').message).toMatch(MESSAGE);
        expect(raised('rmm.DeviceBuffer(2000)')).toMatchObject({ type: 'MemoryError' });
        expect(raised('rmm.DeviceBuffer(2000)').message).toMatch(MESSAGE);
        expect(raised('alloc(2 ** 61)').message).toContain('no device has');
        expect(raised('alloc(-1)').message).toContain('no device has');
        run('x = alloc(1000)');
      });

      test('memory that a failure callback frees in Python is available to the next attempt', () => {
        const asked: number[] = [];
        using _ = usingMemoryManager(
          FailureCallbackAdaptor.over(
            LimitingAdaptor.over(BestFitPoolMemoryManager, { bytes: 1000 }),
            bytes => {
              asked.push(bytes);
              python.run('cache.clear()');
              return asked.length < 3;
            }
          )
        );
        run('cache = [alloc(600)]; x = alloc(700)');
        expect(asked).toEqual([700]);
      });

      test('rule 219: memory in a reference cycle of Python is collected before memory runs out', () => {
        using _ = usingMemoryManager(LimitingAdaptor.over(BestFitPoolMemoryManager, { bytes: 1000 }));
        run(`
class Ring: pass
ring = Ring()
ring.itself, ring.memory = ring, alloc(600)
gc.disable()
del ring
try: x = alloc(700)
finally: gc.enable()
`);
      });

      test('any other error of the manager is RuntimeError with its text', () => {
        class Broken extends BestFitPoolMemoryManager {
          override memallocAsync(): never {
            throw new TypeError('it is broken');
          }
        }
        using _ = usingMemoryManager(Broken);
        expect(raised('alloc(8)')).toMatchObject({ type: 'RuntimeError' });
        expect(raised('alloc(8)').message).toContain('it is broken');
      });

      test('a manager that allocates from the library that it serves is refused', () => {
        class Circular extends BestFitPoolMemoryManager {
          override memallocAsync(): never {
            python.run('alloc(8)');
            throw new Error('it came to an end');
          }
        }
        using _ = usingMemoryManager(Circular);
        expect(raised('alloc(8)').message).toContain('allocate from each other');
      });

      test('rule 223: threads get memory of the manager, and can free on any thread', async () => {
        using _ = usingMemoryManager(Counting());
        run(`
def churn(count):
  kept = [alloc(100 + index) for index in range(count)]
  for index in range(count): alloc(50)
  return kept
def threads(count):
  made = []
  workers = [threading.Thread(target=lambda: made.append(churn(25))) for _ in range(count)]
  for worker in workers: worker.start()
  for worker in workers: worker.join()
  return made
`);
        const before = shared.usage.beside.count;
        const made = (await python.callAsync(python.evaluate('threads') as PyObject, 4)) as PyObject;
        expect(statistics()).toMatchObject({ currentCount: 100, totalCount: 200 });
        // They were allocated on other threads, and are freed here.
        made[Symbol.dispose]();
        expect(statistics().currentCount).toBe(0);
        expect(shared.usage.beside.count).toBe(before);
      });

      test('rule 223: threads that this one waits for are served by the driver, without a deadlock', () => {
        using _ = usingMemoryManager(Counting());
        const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
        const before = shared.usage.beside;
        run('x = threads(2)');
        expect(shared.usage.beside.count - before.count).toBe(100);
        expect(statistics().totalCount).toBe(0);
        run('y = alloc(10)');
        run('z = alloc(10)');
        expect(warned.mock.calls.map(([text]) => text)).toEqual([
          expect.stringMatching(
            /^100 allocations \(\d+ bytes\) of other threads came from the driver instead/
          )
        ]);
        warned.mockRestore();
        run('x = z = None');
        expect(statistics().currentCount).toBe(1);
      });

      test('memory that a forked process drops is not freed here, and it gets none', () => {
        using _ = usingMemoryManager(Counting());
        run(`
import os
x = alloc(10)
child = os.fork()
if child == 0:
  x = None
  try: alloc(10)
  except RuntimeError as error: os._exit(7 if "forked" in str(error) else 8)
  os._exit(9)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
`);
        expect(python.evaluate('code')).toBe(7);
        expect(statistics()).toMatchObject({ currentCount: 1, totalCount: 1 });
      });

      test('the collector of JavaScript does not count memory of libraries', () => {
        using _ = usingMemoryManager(Counting());
        const before = process.memoryUsage().external;
        run('x = alloc(1 << 28)');
        expect(process.memoryUsage().external - before).toBeLessThan(1 << 27);
      });

      test('an invalid call from Python is an error of Python', () => {
        run('from stridelab.memory import link');
        expect(raised('link.allocate(0, 8)')).toMatchObject({ type: 'TypeError' });
        expect(raised('link.allocate(0, "8", 0)')).toMatchObject({ type: 'TypeError' });
        expect(raised('link.allocate(0, 2 ** 80, 0)')).toMatchObject({ type: 'TypeError' });
        expect(raised('link.allocate(99, 8, 0)').message).toContain('there is no device 99');
        run('link.free(12345, 0); link.free(0, 0); link.note_use(12345, 0)');
      });
    });
  });
});
