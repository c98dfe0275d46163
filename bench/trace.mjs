/**
 * The host cost of a trace, on the first device: `node bench/trace.mjs [device]`. Microseconds per submission, medians of 15 batches,
 * and submissions per second, with the trace off (before its first start, and after a stop) and on. While it is off, each submission
 * reads one word. The first rows also run on versions without a trace, for comparison.
 */
import { cpus } from 'node:os';
import * as stridelab from 'stridelab';

const { devices, empty, Stream } = stridelab;
const wanted = process.argv[2];
const device = devices().find(candidate => wanted === undefined || candidate.label === wanted);
if (device === undefined)
  throw new Error(`unknown device ${wanted}: expected one of ${devices().map(String).join(', ')}`);

const stream = new Stream({ device });
const other = new Stream({ device });
const a = empty(64, { dtype: 'uint8', stream });
const b = empty(64, { dtype: 'uint8', stream });

const BATCH = 5000;

/** Returns the median microseconds per call. @param {() => unknown} call */
function measure(call) {
  for (let i = 0; i < BATCH; i++) call();
  device?.synchronize();
  const times = Array.from({ length: 15 }, () => {
    const start = process.hrtime.bigint();
    for (let i = 0; i < BATCH; i++) call();
    const elapsed = Number(process.hrtime.bigint() - start) / 1000 / BATCH;
    device?.synchronize();
    return elapsed;
  });
  return /** @type {number} */ (times.sort((x, y) => x - y)[7]);
}

/** Calls the storage directly, because the array's additional work does not depend on the trace. @type {readonly (readonly [string, () => unknown])[]} */
const operations = [
  ['fill', () => a.storage.fill(0, 1, 7, 64, stream)],
  ['copy on device', () => b.storage.copyFrom(0, a.storage, 0, 64, stream)],
  ['one stream waits for another', () => other.wait(stream)],
  ['block of 64 bytes, made and released', () => empty(64, { dtype: 'uint8', stream }).dispose()]
];

/** @param {string} state */
function report(state) {
  for (const [name, call] of operations) {
    const median = measure(call);
    const rate = Math.round(1e6 / median).toLocaleString('en');
    console.log(name.padEnd(40), state.padEnd(20), median.toFixed(3).padStart(9), rate.padStart(12));
  }
}

console.log(`${device}: ${device.name}; ${cpus()[0]?.model}; Node ${process.version}`);
console.log('submission'.padEnd(40), 'trace'.padEnd(20), 'us'.padStart(9), 'a second'.padStart(12));
report('never on');
if ('trace' in stridelab) {
  const { trace } = stridelab;
  trace.start();
  report('on');
  trace.stop();
  report('off again');
  const start = process.hrtime.bigint();
  const { length } = trace.read().events;
  const elapsed = Number(process.hrtime.bigint() - start) / 1e6;
  console.log(`reading ${length} records: ${elapsed.toFixed(1)} ms`);
}
stream.dispose();
other.dispose();
