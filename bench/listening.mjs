/**
 * The cost of recorders: `node bench/listening.mjs [DEVICE] [--out FOLDER]`. Processor time of the process, in microseconds per call, with
 * each recorder off and on in the same process; the minimum of 9 batches of 2,000 calls. Each row runs in a separate process, because
 * code that has run with other recorders is slower. `npm run bench` runs it too.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  asCudaArray,
  devices,
  empty,
  exchanges,
  fromDlpack,
  memoryLog,
  python,
  Stream,
  trace
} from 'stridelab';

const BATCH = 2000;
const BATCHES = 9;

const { positionals, values } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });
const [label = 'sim:0', chosen] = positionals;
const found = devices().find(candidate => candidate.label === label);
if (found === undefined)
  throw new Error(`unknown device ${label}: expected one of ${devices().map(String).join(', ')}`);
const device = found;
const stream = new Stream({ device });

/** @param {() => void} call */
function measure(call) {
  let least = Infinity;
  for (let batch = 0; batch <= BATCHES; batch++) {
    const before = process.cpuUsage();
    for (let i = 0; i < BATCH; i++) call();
    const { user, system } = process.cpuUsage(before);
    device.synchronize();
    // The first batch compiles.
    if (batch > 0) least = Math.min(least, (user + system) / BATCH);
  }
  return least;
}

const make = () => empty(64, { dtype: 'uint8', stream }).dispose();
/** Calls from a depth in the stack, as in programs. @param {number} depth @param {() => void} call */
const within = (depth, call) => {
  if (depth === 0) call();
  else within(depth - 1, call);
};
const kept = empty(64, { dtype: 'uint8', stream });
const foreign = {
  get __cuda_array_interface__() {
    return kept.__cuda_array_interface__;
  }
};

const READ = device.simulated ? 'memoryview(a).release()' : 'a.__cuda_array_interface__';
/** Returns a call in which Python reads an attribute of an array. */
function makeReader() {
  python.start();
  const read = /** @type {import('stridelab').PyObject} */ (python.evaluate(`lambda a: ${READ}`));
  const array = python.array(kept);
  return () => void read(array);
}
/** @type {(() => void) | undefined} */
let reader;
const readByPython = () => (reader ??= makeReader())();

/** @typedef {{ start: () => void, stop: () => void }} Listener */
/** @type {Listener} */
const withStacks = { start: () => void memoryLog.start(), stop: () => memoryLog.stop() };
/** @type {readonly { what: string, listener: string, call: () => void, on: Listener, python?: boolean }[]} */
const rows = [
  {
    what: 'array made and disposed of',
    listener: 'memoryLog, stacks: false',
    call: make,
    on: { ...withStacks, start: () => void memoryLog.start({ stacks: false }) }
  },
  { what: 'array made and disposed of', listener: 'memoryLog', call: make, on: withStacks },
  {
    what: 'array made and disposed of, 20 calls deep',
    listener: 'memoryLog',
    call: () => within(20, make),
    on: withStacks
  },
  ...[
    {
      what: 'CAI import of an external object, and drop',
      call: () => asCudaArray(foreign, { stream }).dispose()
    },
    { what: 'from_dlpack of an own array, and drop', call: () => fromDlpack(kept, { stream }).dispose() },
    { what: `${READ} by Python`, call: readByPython, python: true }
  ].map(row => ({
    ...row,
    listener: 'exchanges',
    on: { start: () => void exchanges.start(), stop: () => exchanges.stop() }
  })),
  ...[
    { what: 'fill of 64 bytes', call: () => kept.storage.fill(0, 1, 7, 64, stream) },
    { what: 'array made and disposed of', call: make }
  ].map(row => ({
    ...row,
    listener: 'trace',
    on: { start: () => void trace.start(), stop: () => trace.stop() }
  }))
];

if (chosen === undefined) report();
else {
  const { call, on } = /** @type {typeof rows[number]} */ (rows[Number(chosen)]);
  const before = measure(call);
  on.start();
  const listening = measure(call);
  on.stop();
  console.log(JSON.stringify([before, listening, measure(call)]));
}

function report() {
  const self = fileURLToPath(import.meta.url);
  const lines = rows.map(({ what, listener, python: needed }, index) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [self, label, String(index)], {
      encoding: 'utf8'
    });
    if (needed === true && stderr.includes('PythonUnavailableError'))
      return `| ${what} | ${listener} | not measured: found no Python | | | | |`;
    if (status !== 0) throw new Error(stderr);
    const times = /** @type {[number, number, number]} */ (JSON.parse(stdout));
    const [off, on] = times;
    const cells = [...times.map(time => time.toFixed(2)), (on - off).toFixed(2), `${(on / off).toFixed(1)}x`];
    return `| ${[what, listener, ...cells].join(' | ')} |`;
  });
  const page = `# Cost of recorders: ${device.name}, ${new Date().toISOString().slice(0, 10)}

* Host: ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${process.platform} ${release()}; Node ${process.version}
* Processor time in us per call, including all threads and garbage collection; the minimum of ${BATCHES} batches of ${BATCH} calls. Compare only within a row

| what | listener | off | on | off again | more | ratio |
| --- | --- | --- | --- | --- | --- | --- |
${lines.join('\n')}
`;
  const folder = values.out ?? join(fileURLToPath(new URL('.', import.meta.url)), 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `listening-${device.name.replaceAll(/[^A-Za-z0-9]+/g, '-')}.md`), page);
  console.log(page);
}
