/**
 * What a trace costs the host, on the first device: `node bench/trace.mjs [device]`. Microseconds a submission, medians of 15 batches,
 * and submissions a second, with the trace off (before it was ever on, and after) and on. Off, each submission reads one word; the
 * figure to compare with is that of a build from before there was a trace, for which the first row runs on any version.
 */
import { cpus } from 'node:os';
import * as stridelab from 'stridelab';

const { devices, empty, Stream } = stridelab;
const wanted = process.argv[2];
const device = devices().find(candidate => wanted === undefined || candidate.label === wanted);
if (device === undefined) throw new Error(`no device ${wanted}`);

const stream = new Stream({ device });
const other = new Stream({ device });
const a = empty(64, { dtype: 'uint8', stream });
const b = empty(64, { dtype: 'uint8', stream });

const BATCH = 5000;

/** Median microseconds a call. @param {() => unknown} call */
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

/** Straight to the storage: the array's own work on top is the same either way. @type {readonly (readonly [string, () => unknown])[]} */
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
