/** Plain programs with shared memory managers: `memory-program.mjs PYTHON SCENARIO [LIBRARY]`; each prints its results. */
import { join } from 'node:path';

import { StatisticsAdaptor, usingMemoryManager } from '../../../dist/src/memory/index.js';
import { python } from '../../../dist/src/index.js';

const [, , executable, scenario, library] = process.argv;
/** The package of the module `cudadrv.driver`. */
const numba = library === 'numba_cuda_mlir' ? 'numba_cuda_mlir.numba_cuda' : 'numba.cuda';
python.start({ python: executable, mode: scenario === 'apart' ? 'process' : 'in-process' });

/** @param {unknown[]} values */
const print = (...values) => void process.stdout.write(`${values.join(' ')}\n`);

const standIns = () =>
  python.run(`
import sys
sys.path.insert(0, ${JSON.stringify(join(import.meta.dirname, 'stand-ins'))})
import atexit, threading, time
from cupy.cuda import alloc
`);

/** @type {Record<string, () => void>} */
const scenarios = {
  apart() {
    for (const attempt of [
      () => python.shareMemoryManager(),
      () => python.memoryManager(python.evaluate('int'))
    ]) {
      try {
        attempt();
      } catch (error) {
        print(/** @type {Error} */ (error).message);
      }
    }
  },
  // Libraries hold memory, free it during and after the program's exit, and a thread allocates when JavaScript no longer responds.
  end() {
    standIns();
    python.shareMemoryManager(['cupy']);
    python.run(`
import ctypes
from stridelab.memory import link
kept = [alloc(100) for _ in range(10)]
atexit.register(kept.clear)
forever = alloc(100)
def late():
  time.sleep(0.2)
  try: alloc(10)
  except RuntimeError as error: print("late:", error, flush=True)
threading.Thread(target=late).start()
free = ctypes.CDLL(link.addon).stridelab_torch_free
`);
  },
  'numba-variable'() {
    using _ = usingMemoryManager(StatisticsAdaptor);
    python.run(`
from ${numba}.cudadrv import driver
driver._ensure_memory_manager()
print(driver._memory_manager.__module__, driver._memory_manager.__name__)
class Device: id = 0
class Context: device = Device()
memory = driver._memory_manager(context=Context()).memalloc(100)
print(memory.size)
`);
  },
  'numba-simulator'() {
    print(JSON.stringify(python.shareMemoryManager(['numba']).libraries[0]));
  },
  'numba-both'() {
    const shared = python.shareMemoryManager(['numba', 'numba_cuda_mlir']);
    print(...shared.libraries.map(({ outcome }) => outcome));
    python.shareMemoryManager(['numba']).undo();
    python.run(`
from numba.cuda.cudadrv import driver
from numba_cuda_mlir.numba_cuda.cudadrv import driver as successor
print(driver._memory_manager, successor._memory_manager.__module__)
`);
  },
  'numba-undo'() {
    python.run(`from ${numba}.cudadrv import driver`);
    const shared = python.shareMemoryManager([library]);
    python.run('print(driver._memory_manager.__name__)');
    const kept = shared.undo();
    python.run('print(driver._memory_manager)');
    // Simulates a context made by Numba.
    python.run(`
class Device: primary_context = object()
driver.driver.devices[0] = Device()
`);
    print(kept.size, shared.undo().size);
    print(python.shareMemoryManager([library]).libraries[0]?.outcome);
  },
  'torch-late'() {
    python.run(`
import ctypes, torch
from stridelab.memory import link
other = torch.cuda.memory.CUDAPluggableAllocator(link.addon, "stridelab_torch_allocate", "stridelab_torch_free")
torch.cuda.memory.change_current_allocator(other)
`);
    const [share] = python.shareMemoryManager(['torch']).libraries;
    print(JSON.stringify(share));
    python.run('print(torch.ones(3).sum().item())');
  }
};
const chosen = scenarios[scenario ?? ''];
if (chosen === undefined) throw new Error(`no scenario ${scenario}`);
chosen();
