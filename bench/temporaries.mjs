/**
 * A synchronous loop of temporaries of 1 MiB, by nobody disposed, by `using` and in scopes: the most device memory that
 * was in use at a time, and the rate. `node bench/temporaries.mjs [count] [device]`; the bound is 256 MiB for a million.
 */
import { devices, empty, scope, Stream } from 'stridelab';

const count = Number(process.argv[2] ?? 1_000_000);
const wanted = process.argv[3];
const device = devices().find(candidate => wanted === undefined || candidate.label === wanted);
if (device === undefined) throw new Error(`no device ${wanted}`);
const stream = new Stream({ device });
const MEBI = 2 ** 20;
const BOUND = 256;
const temporary = () => empty(MEBI, { dtype: 'uint8', stream });
/** Eight bytes: the figure is to be about memory, not about the time a simulated device takes to fill it. */
const use = (/** @type {ReturnType<typeof temporary>} */ array) => array.storage.fill(0, 1, 1, 8, stream);

/** Each uses and drops one; nothing is held from one round to the next. */
const ways = {
  collected: () => use(temporary()),
  using: () => {
    using array = temporary();
    use(array);
  },
  scope: () => scope(() => use(temporary()))
};

let missed = false;
console.log(`${device}: ${device.name}; ${count} temporaries of 1 MiB; Node ${process.version}`);
console.log('way'.padEnd(12), 'us each'.padStart(10), 'most MiB'.padStart(10), `below ${BOUND}`.padStart(10));
for (const [name, round] of Object.entries(ways)) {
  device.synchronize();
  const before = device.memoryInfo().free;
  let most = 0;
  const start = performance.now();
  for (let index = 0; index < count; index++) {
    round();
    if (index % 16 === 15) most = Math.max(most, before - device.memoryInfo().free);
  }
  const each = ((performance.now() - start) * 1000) / count;
  const mebibytes = most / MEBI;
  missed ||= mebibytes >= BOUND;
  console.log(
    name.padEnd(12),
    each.toFixed(2).padStart(10),
    mebibytes.toFixed(0).padStart(10),
    (mebibytes < BOUND ? 'met' : 'missed').padStart(10)
  );
}
process.exitCode = missed ? 1 : 0;
