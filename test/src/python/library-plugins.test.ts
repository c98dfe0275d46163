/** The plugins for Numba, numba-cuda-mlir and PyTorch in the real libraries, on the simulated device. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import {
  BestFitPoolMemoryManager,
  currentManager,
  LimitingAdaptor,
  StatisticsAdaptor,
  usingMemoryManager,
  type AllocationStatistics,
  type MemoryManagerClass
} from '../../../src/memory/index.ts';
import { python } from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';
import type { PyObject } from '../../../src/python/index.ts';
import { thrown } from './asking.ts';
import { describeWith, obstacle, pythonOfTests } from './environment.ts';

if (obstacle === null) python.start({ python: pythonOfTests });

const Counting = (): MemoryManagerClass => StatisticsAdaptor.over(BestFitPoolMemoryManager);

function statistics(): AllocationStatistics {
  native().drainReleases();
  native().drainReleases(true);
  return (currentManager() as StatisticsAdaptor).statistics();
}

const raised = (source: string): Error => thrown(() => python.run(source));

/** Runs a program, which must succeed, and returns its output. */
function program(scenario: string, variables: Readonly<Record<string, string>> = {}, library = ''): string {
  const file = join(import.meta.dirname, 'memory-program.mjs');
  const command = [file, pythonOfTests, scenario, library];
  const { stdout, stderr, status, signal } = spawnSync(process.execPath, command, {
    encoding: 'utf8',
    env: { ...process.env, ...variables },
    timeout: 90_000
  });
  if (status !== 0) throw new Error(`${scenario} ended with ${signal ?? status}: ${stdout}${stderr}`);
  return stdout.trim();
}

describeWith(['numba'], 'Numba', () => {
  test('its simulator is refused, with the reason', () => {
    expect(JSON.parse(program('numba-simulator', { NUMBA_ENABLE_CUDASIM: '1' }))).toMatchObject({
      outcome: 'unusable',
      reason: expect.stringContaining('NUMBA_ENABLE_CUDASIM') as string
    });
  });
});

describeWith(['numba', 'numba_cuda_mlir'], 'Numba and numba-cuda-mlir', () => {
  test('each has its own plugin class, and is undone alone', () => {
    expect(program('numba-both')).toBe('taken taken\nNone stridelab.numba_cuda_mlir_manager');
  });
});

/** The packages with Numba's interface for memory managers: the module with the driver, and the module of the plugin. */
const NUMBAS = [
  ['numba', 'numba.cuda', 'stridelab.numba_manager'],
  ['numba_cuda_mlir', 'numba_cuda_mlir.numba_cuda', 'stridelab.numba_cuda_mlir_manager']
] as const;

for (const [library, cuda, plugin] of NUMBAS) {
  describeWith([library], `the plugin for ${library} (NBEP 7)`, () => {
    beforeAll(() => {
      const [share] = python.shareMemoryManager([library]).libraries;
      expect(share).toMatchObject({
        outcome: 'taken',
        reason: `its plugin class is ${plugin}.StridelabManager`
      });
      python.run(`
import gc, ${cuda} as cuda
from ${cuda}.cudadrv import driver
from ${plugin} import StridelabManager, _numba_memory_manager
class Device: id = 0
class Context: device = Device()
context = Context()
def plugin():
  made = StridelabManager(context=context)
  made.initialize()
  return made
`);
    });

    test('rules 178, 199, 200: is the class that the package instantiates', () => {
      python.run(`
assert driver._memory_manager is StridelabManager is _numba_memory_manager
assert issubclass(StridelabManager, cuda.BaseCUDAMemoryManager)
assert StridelabManager(context=None).interface_version == 1
`);
    });

    test('rules 179, 211, 213: allocates from the current manager, and frees with the last view', () => {
      using _ = usingMemoryManager(Counting());
      python.run('manager = plugin(); memory = manager.memalloc(1000); view = memory.view(10, 20)');
      python.run(
        'assert memory.size == 1000 and view.device_pointer_value == memory.device_pointer_value + 10'
      );
      expect(statistics()).toMatchObject({ currentBytes: 1000, currentCount: 1 });
      python.run('del memory; gc.collect()');
      expect(statistics().currentCount).toBe(1);
      python.run('del view');
      expect(statistics()).toMatchObject({ currentBytes: 0, totalCount: 1 });
      python.run('memory = manager.memalloc(100); memory.free()');
      expect(statistics().currentBytes).toBe(0);
      expect(raised('memory.free()').message).toContain('dead memory');
      python.run('del memory');
      expect(statistics().currentBytes).toBe(0);
    });

    test('the context of another library can have a driver handle for its device, or nothing', () => {
      using _ = usingMemoryManager(Counting());
      python.run(`
class CUdevice:
  def __int__(self): return 0
class Method:
  def id(self): return "as of a test case"
def memory_of(device):
  made = StridelabManager(context=type("Context", (), {"device": device})())
  made.initialize()
  return made.memalloc(100)
memory = memory_of(CUdevice())
class Active:
  devnum = 0
  def __enter__(self): return self
  def __exit__(self, *_): pass
`);
      expect(statistics().currentBytes).toBe(100);
      python.run(`
asked = type(driver.driver).get_active_context
type(driver.driver).get_active_context = lambda self: Active()
try: memory = memory_of(Method())
finally: type(driver.driver).get_active_context = asked
del memory
`);
      expect(statistics()).toMatchObject({ currentBytes: 0, totalCount: 2 });
    });

    test('rule 180: zero bytes are the null pointer', () => {
      using _ = usingMemoryManager(Counting());
      python.run('assert plugin().memalloc(0).device_pointer_value is None');
      expect(statistics().totalCount).toBe(0);
    });

    test('rules 185, 186: reset frees everything and can be called first; later releases are silent', () => {
      using _ = usingMemoryManager(Counting());
      python.run(`
manager = StridelabManager(context=context)
manager.reset()
manager.initialize(); manager.initialize()
kept = [manager.memalloc(100) for _ in range(5)]
manager.reset()
`);
      expect(statistics()).toMatchObject({ currentBytes: 0, totalCount: 5 });
      python.run('extra = manager.memalloc(7); kept.clear()');
      expect(statistics().currentBytes).toBe(7);
      python.run('del extra');
      expect(statistics().currentBytes).toBe(0);
    });

    test("rules 187, 208: free and total bytes are the manager's", () => {
      using _ = usingMemoryManager(BestFitPoolMemoryManager);
      const { free, total } = currentManager().getMemoryInfo();
      python.run(
        `info = plugin().get_memory_info(); assert (info.free, info.total) == (${free}, ${total}), info`
      );
      python.run(`assert plugin().deallocations.memory_capacity == ${total}`);
    });

    test("rule 194: memory that cannot be shared is refused before the driver's vague error", () => {
      using _ = usingMemoryManager(Counting());
      python.run('manager = plugin()');
      expect(raised('manager.get_ipc_handle(manager._memory(64, 8))').message).toContain(
        '0x40 is not a known device allocation'
      );
    });

    test("rules 196, 197: defer_cleanup is entered in the package's base and in the manager in force", () => {
      let open = 0;
      class Deferring extends BestFitPoolMemoryManager {
        override deferCleanup(): Disposable {
          const inner = super.deferCleanup();
          open++;
          return {
            [Symbol.dispose]: () => {
              open--;
              inner[Symbol.dispose]();
            }
          };
        }
      }
      using _ = usingMemoryManager(Deferring);
      python.run(
        'manager = plugin(); outer = manager.defer_cleanup(); outer.__enter__(); inner = manager.defer_cleanup(); inner.__enter__()'
      );
      expect(open).toBe(2);
      python.run('assert manager.deallocations.is_disabled');
      python.run('inner.__exit__(None, None, None); outer.__exit__(None, None, None)');
      expect(open).toBe(0);
      python.run('assert not manager.deallocations.is_disabled');
    });

    test("rule 209: out of memory is the package's error and Python's, with the manager's message", () => {
      using _ = usingMemoryManager(LimitingAdaptor.over(BestFitPoolMemoryManager, { bytes: 1000 }));
      python.run(`
try: plugin().memalloc(2000)
except MemoryError as error: caught = error
assert isinstance(caught, driver.CudaAPIError) and caught.code == 2
`);
      expect(String(python.evaluate('str(caught)'))).toMatch(/^\[2\] .*limit of 1000 bytes/);
    });

    test('rule 202: NUMBA_CUDA_MEMORY_MANAGER selects it, in this process only', () => {
      const variables = { NUMBA_CUDA_MEMORY_MANAGER: plugin };
      expect(program('numba-variable', variables, library)).toBe(`${plugin} StridelabManager\n100`);
      const code = `import ${plugin}`;
      const { stderr } = spawnSync(pythonOfTests, ['-c', code], {
        encoding: 'utf8',
        env: { ...process.env, PYTHONPATH: join(import.meta.dirname, '../../../python') }
      });
      expect(stderr).toContain(
        "ImportError: JavaScript's memory manager serves only a Python inside a Stridelab process"
      );
    });

    test('rule 201: is undone and registered only while the package has no context', () => {
      expect(program('numba-undo', {}, library)).toBe('StridelabManager\nNone\n0 0\ntoo-late');
    });
  });
}

describeWith(['torch'], "PyTorch's pluggable allocator", () => {
  let hasCuda = false;
  beforeAll(() => {
    python.run('import torch');
    hasCuda = python.evaluate('hasattr(torch._C, "_cuda_changeCurrentAllocator")') === true;
  });

  test('is accepted before its first use of the device, twice as well, and stays', () => {
    const shared = python.shareMemoryManager(['torch']);
    if (!hasCuda) {
      expect(shared.libraries[0]).toMatchObject({ outcome: 'unusable' });
      return;
    }
    expect(shared.libraries[0]).toMatchObject({ outcome: 'taken' });
    expect(python.shareMemoryManager(['torch']).libraries[0]).toMatchObject({ outcome: 'taken' });
    expect(shared.undo().get('torch')).toContain('for the life of the process');
    python.run('assert not torch.autograd.is_multithreading_enabled()');
  });

  test('its functions serve many threads, and can free on any', async () => {
    python.shareMemoryManager(['torch']);
    using _ = usingMemoryManager(Counting());
    python.run(`
import ctypes, threading
from stridelab.memory import link
library = ctypes.CDLL(link.addon)
allocate, release, record = library.stridelab_torch_allocate, library.stridelab_torch_free, library.stridelab_torch_record_stream
allocate.restype = ctypes.c_void_p
allocate.argtypes = [ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
release.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
record.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
def work(made):
  for index in range(50):
    address = allocate(100, 0, None)
    record(address, None)
    if index % 2: made.append(address)
    else: release(address, 100, 0, None)
def many(count):
  lists = [[] for _ in range(count)]
  workers = [threading.Thread(target=work, args=(made,)) for made in lists]
  for worker in workers: worker.start()
  for worker in workers: worker.join()
  return [address for made in lists for address in made]
`);
    const made = (await python.callAsync(python.evaluate('many') as PyObject, 4)) as PyObject;
    expect(statistics()).toMatchObject({ currentCount: 100, totalCount: 200 });
    python.setItem(python.evaluate('globals()') as PyObject, 'made', made);
    python.run(
      'for address in made: release(address, 100, 0, None)\nrelease(None, 0, 0, None); assert allocate(0, 0, None) is None'
    );
    expect(statistics().currentCount).toBe(0);
  });

  test('its functions can be called with the GIL, on this thread and on others', async () => {
    using _ = usingMemoryManager(Counting());
    python.run(`
held = ctypes.PyDLL(link.addon)
held.stridelab_torch_allocate.restype = ctypes.c_void_p
held.stridelab_torch_allocate.argtypes = [ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
held.stridelab_torch_free.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
def pair(): held.stridelab_torch_free(held.stridelab_torch_allocate(10, 0, None), 10, 0, None)
pair()
`);
    await python.callAsync(python.evaluate('pair') as PyObject);
    expect(statistics()).toMatchObject({ currentCount: 0, totalCount: 2 });
  });

  test('another allocator before ours is reported as too late, and PyTorch continues', () => {
    if (!hasCuda) return;
    const [first = '', second] = program('torch-late').split('\n');
    expect(JSON.parse(first)).toMatchObject({
      outcome: 'too-late',
      reason: expect.stringContaining('first use of the device') as string
    });
    expect(second).toBe('3.0');
  });
});

describeWith([], 'a program', () => {
  test('with Python in another process reports that its memory is separate', () => {
    const [share, manager] = program('apart').split('\n');
    expect(share).toContain('only with Python in this process');
    expect(manager).toBe(share);
  });

  test('rule 104: can end before libraries free, silently, and a thread that allocates then gets an error', () => {
    expect(program('end')).toBe(
      'late: the JavaScript environment whose memory manager serves this library has ended'
    );
  });
});
