/** Tests whether the device or the host waits for pending work: a slow kernel of the producer writes, and the consumer reads on another stream. */

import { cuda, empty, python, Stream } from 'stridelab';

/**
 * @typedef {import('./crossing.mjs').Subject} Subject
 * @typedef {import('./facts.mjs').Protocol} Protocol
 * @typedef {import('stridelab').PyObject} PyObject
 */

const LATE = 5;
/** Almost 200 ms: longer than any host call. */
const CYCLES = 300_000_000;

/** @type {ReturnType<ReturnType<typeof cuda.compile>['function']> | undefined} */
let late;

/** Returns the slow kernel, which is compiled and launched once before the test of the order. @param {Subject['device']} device */
function writer(device) {
  return (late ??= cuda
    .compile(
      `extern "C" __global__ void late(float* out, long long cycles, float value) {
        long long start = clock64();
        while (clock64() - start < cycles) {}
        out[0] = value;
      }`,
      { device }
    )
    .function('late'));
}

/** The library writes, Stridelab reads. @param {Subject} subject @param {Protocol} via @returns {string} */
export function orderIn({ library, device }, via) {
  library.enter_stream();
  try {
    using mine = new Stream({ device });
    const target = empty(6, { dtype: 'float32', stream: mine });
    python.asArray(library.make(), { via, stream: mine }).dispose(); // so that the measured import initializes nothing
    device.synchronize();
    const object = library.late(LATE);
    if (!library.pending()) return 'unproven: nothing was pending';
    const ours = python.asArray(object, { via, stream: mine });
    target.copyFrom(ours.reshape(-1), { stream: mine });
    const waited = library.pending() ? 'device' : 'host';
    return target.item(0) === LATE ? waited : 'lost';
  } finally {
    library.leave_stream();
  }
}

/** Stridelab writes, the library reads. @param {Subject} subject @param {PyObject} take @returns {string} */
export function orderOut({ library, device }, take) {
  library.enter_stream();
  try {
    using mine = new Stream({ device });
    const ours = empty(6, { dtype: 'float32', stream: mine }).fill(0);
    const kernel = writer(device);
    kernel.launch({ grid: 1, block: 1, stream: mine }, ours, 0, 0);
    library.first_on_stream(take(ours));
    device.synchronize();
    kernel.launch({ grid: 1, block: 1, stream: mine }, ours, CYCLES, LATE);
    const theirs = take(ours);
    const waited = mine.query() ? 'host' : 'device';
    return library.first_on_stream(theirs) === LATE ? waited : 'lost';
  } finally {
    library.leave_stream();
  }
}
