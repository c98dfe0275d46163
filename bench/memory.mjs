/**
 * Host time of allocations with each memory manager, on the first device: `node bench/memory.mjs [device]`.
 * Medians of 15 batches, in microseconds, with the budget if there is one. Each manager runs in a separate process, as in
 * programs, because code that has run with several managers is slower.
 */
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { devices, empty, Stream } from 'stridelab';
import {
  AsyncPoolMemoryManager,
  BestFitPoolMemoryManager,
  currentManager,
  DefaultCUDAMemoryManager,
  LoggingAdaptor,
  StatisticsAdaptor,
  usingMemoryManager
} from 'stridelab/memory';

const MEBI = 2 ** 20;
const wanted = process.argv[2];
const device = devices().find(candidate => wanted === undefined || candidate.label === wanted);
if (device === undefined)
  throw new Error(`unknown device ${wanted}: expected one of ${devices().map(String).join(', ')}`);

/** Returns the median microseconds per call. @param {() => unknown} call */
function measure(call) {
  const batch = 5000;
  for (let i = 0; i < batch; i++) call();
  device?.synchronize();
  const times = Array.from({ length: 15 }, () => {
    const start = process.hrtime.bigint();
    for (let i = 0; i < batch; i++) call();
    const elapsed = Number(process.hrtime.bigint() - start) / 1000 / batch;
    device?.synchronize();
    return elapsed;
  });
  return /** @type {number} */ (times.sort((x, y) => x - y)[7]);
}

/** @type {readonly (readonly [string, import('stridelab/memory').MemoryManagerClass, boolean])[]} name, class, whether the budget applies */
const managers = [
  ['default', DefaultCUDAMemoryManager, false],
  ['best-fit pool', BestFitPoolMemoryManager, true],
  ['async pool', AsyncPoolMemoryManager, false],
  ['statistics over the pool', StatisticsAdaptor.over(BestFitPoolMemoryManager), false],
  ['log over the pool', LoggingAdaptor.over(BestFitPoolMemoryManager, { path: '/dev/null' }), false]
];

const chosen = process.argv[3];
if (chosen === undefined) {
  console.log(`${device}: ${device.name}; ${cpus()[0]?.model}; Node ${process.version}`);
  console.log('1 MiB and back'.padEnd(52), 'us'.padStart(8), 'budget'.padStart(12));
  for (const [name] of managers) {
    const self = /** @type {string} */ (process.argv[1]);
    spawnSync(process.execPath, [self, device.label, name], { stdio: 'inherit' });
  }
}
for (const [name, managerClass, budgeted] of managers) {
  if (name !== chosen) continue;
  using _scope = usingMemoryManager(managerClass);
  const stream = new Stream({ device });
  const manager = currentManager(device);
  /** @param {string} what @param {number | null} budget @param {() => unknown} call */
  const report = (what, budget, call) => {
    const median = measure(call);
    const verdict = budget === null ? '-' : `${budget} ${median <= budget ? 'met' : 'missed'}`;
    console.log(`${name}: ${what}`.padEnd(52), median.toFixed(3).padStart(8), verdict.padStart(12));
  };
  report('memory by hand', budgeted ? 0.4 : null, () => manager.memalloc(MEBI).free());
  const array = () => empty(MEBI, { dtype: 'uint8', stream });
  report('array, disposed', budgeted ? 1 : null, () => array().dispose());
  report('array, filled and disposed', null, () => {
    const filled = array();
    filled.storage.fill(0, 1, 0, 1024, stream);
    filled.dispose();
  });
  report('array, left to the collector', null, array);
  stream.dispose();
}
