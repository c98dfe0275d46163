/**
 * A synchronous loop of temporaries of 1 MiB, which are never disposed, disposed by `using`, or made in scopes: maximum device memory
 * in use, and time. `node bench/temporaries.mjs [count] [device]`; the bound is 256 MiB for a million.
 */
import { devices, empty, scope, Stream } from 'stridelab';

const count = Number(process.argv[2] ?? 1_000_000);
const wanted = process.argv[3];
const device = devices().find(candidate => wanted === undefined || candidate.label === wanted);
if (device === undefined)
  throw new Error(`unknown device ${wanted}: expected one of ${devices().map(String).join(', ')}`);
const stream = new Stream({ device });
const MEBI = 2 ** 20;
const BOUND = 256;
const temporary = () => empty(MEBI, { dtype: 'uint8', stream });
/** Fills only eight bytes, because filling 1 MiB on a simulated device would take most of the time. */
const use = (/** @type {ReturnType<typeof temporary>} */ array) => array.storage.fill(0, 1, 1, 8, stream);

/** Each uses one array and drops it. */
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
