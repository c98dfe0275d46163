/** Measures the kernels on a GPU, beside the same in CUDA C++: prints JSON. `node --import stridelab/register bench/kernels/gpu.mjs` */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cuda, defaultDevice, Event, Stream } from 'stridelab';
import { cases, three } from './cases.mjs';
import { SOURCE } from './cuda.mjs';

// A cache of its own, so that the first call compiles.
process.env['STRIDELAB_CACHE_DIR'] = mkdtempSync(join(tmpdir(), 'kernels-'));
const device = defaultDevice();
const stream = Stream.legacyDefault(device);
const median = (/** @type {number[]} */ list) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? NaN;

/** Returns the milliseconds that a launch takes on the device: medians of runs that take turns. */
function times(/** @type {(() => void)[]} */ launches) {
  const results = launches.map(() => /** @type {number[]} */ ([]));
  for (let round = 0; round < 15; round++) {
    for (const [which, launch] of launches.entries()) {
      const begun = new Event({ device, timing: true });
      const ended = new Event({ device, timing: true });
      launch();
      stream.record(begun);
      for (let repeat = 0; repeat < 5; repeat++) launch();
      stream.record(ended);
      ended.synchronize();
      results[which].push(ended.elapsedSince(begun) / 5);
    }
  }
  return results.map(median);
}

/** Returns the microseconds that the host spends on a launch: medians of batches that take turns. */
function hostTimes(/** @type {(() => void)[]} */ launches) {
  const results = launches.map(() => /** @type {number[]} */ ([]));
  for (let round = 0; round < 40; round++) {
    for (const [which, launch] of launches.entries()) {
      const begun = process.hrtime.bigint();
      for (let repeat = 0; repeat < 500; repeat++) launch();
      results[which].push(Number(process.hrtime.bigint() - begun) / 500e3);
      stream.synchronize();
    }
  }
  return results.map(median);
}

const begun = performance.now();
const kernels = await import('./kernels.ts');
const loaded = performance.now();
const module = cuda.compile(SOURCE, { options: ['-lineinfo'] });
const compiled = performance.now();
/** @type {Record<string, unknown>} */
const report = {
  device: device.name,
  load: loaded - begun,
  'compile all, CUDA C++': compiled - loaded,
  first: {},
  kernels: {}
};
for (const { name, shape, arrays, scalars, lengths, amount, unit } of cases(device.label, 1)) {
  const ours = /** @type {any} */ (kernels)[name];
  const theirs = module.function(name);
  const first = performance.now();
  ours.launch(shape, ...arrays, ...scalars);
  stream.synchronize();
  /** @type {any} */ (report['first'])[name] = performance.now() - first;
  const [own, plain] = times([
    () => ours.launch(shape, ...arrays, ...scalars),
    () => theirs.launch(shape, ...arrays, ...scalars, ...lengths)
  ]);
  const { attributes } = ours.inspect(shape, ...arrays, ...scalars);
  /** @type {any} */ (report['kernels'])[name] = {
    unit,
    ours: (amount / own) * 1e3,
    'CUDA C++': (amount / plain) * 1e3,
    ratio: plain / own,
    registers: [attributes.registers, theirs.attributes().registers]
  };
}
const arrays = three(device.label);
const shape = { grid: 1, block: 32 };
const [own, plain] = hostTimes([
  () => kernels.nothing.launch(shape, ...arrays),
  () => module.function('nothing').launch(shape, ...arrays, 1)
]);
report['launch, us'] = { ours: own, 'CUDA C++': plain };
console.log(JSON.stringify(report, null, 1));
