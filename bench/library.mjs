/**
 * Host time of the array library's small calls, on the first device: `node bench/library.mjs [device]`.
 * Medians of 15 batches, with the budget if there is one.
 */
import { cpus } from 'node:os';
import { arange, describeArray, devices, Event, Stream, zeros } from 'stridelab';

const wanted = process.argv[2];
const device = devices().find(candidate => wanted === undefined || candidate.label === wanted);
if (device === undefined)
  throw new Error(`unknown device ${wanted}: expected one of ${devices().map(String).join(', ')}`);
const stream = new Stream({ device });
const other = new Stream({ device });
const a = arange(12, { dtype: 'float32', stream }).reshape(3, 4);
const shared = zeros(1024, { stream });
const event = new Event({ device, timing: false });
stream.synchronize();

/** @type {readonly (readonly [string, () => unknown, number | null])[]} name, call, budget in microseconds */
const calls = [
  ['CAI export, idle array', () => a.__cuda_array_interface__, 0.1],
  ['__dlpack_device__()', () => a.__dlpack_device__(), null],
  ['slice view', () => a.slice(null, '::-2'), null],
  ['transpose view', () => a.T, null],
  ['event record + wait', () => (stream.record(event), other.wait(event)), 0.5],
  ['fill of 4 KiB, one stream', () => shared.fill(1, { stream }), null],
  ['allocate + dispose 1 MiB', () => zeros(2 ** 20, { stream, dtype: 'uint8' }).dispose(), 1],
  ['describeArray, no preview', () => describeArray(a, { preview: false }), null]
];

/** Returns the median microseconds per call. @param {() => unknown} call */
function measure(call) {
  const batch = 2000;
  for (let i = 0; i < batch; i++) call();
  device.synchronize();
  const times = Array.from({ length: 15 }, () => {
    const start = process.hrtime.bigint();
    for (let i = 0; i < batch; i++) call();
    const elapsed = Number(process.hrtime.bigint() - start) / 1000 / batch;
    device.synchronize();
    return elapsed;
  });
  return times.sort((x, y) => x - y)[7];
}

console.log(`${device}: ${device.name}; ${cpus()[0]?.model}; Node ${process.version}`);
console.log('call'.padEnd(32), 'us'.padStart(10), 'budget'.padStart(10));
for (const [name, call, budget] of calls) {
  const median = measure(call);
  const verdict = budget === null ? '-' : `${budget} ${median <= budget ? 'met' : 'missed'}`;
  console.log(name.padEnd(32), median.toFixed(3).padStart(10), verdict.padStart(10));
}
