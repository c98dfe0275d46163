/** How Stridelab's calls are timed. bench/peers/timing.py times those of the peers in the same way. */
import { Event, Stream } from 'stridelab';

/** @typedef {import('stridelab').Device} Device */

/** Number of warm-up batches: V8 compiles hot code in several steps. */
const WARM_UP = 20;
const RUNS = 15;
/** Operations in a replayed graph: enough to hide the cost of its launch. */
const NODES = 64;

/** @param {number[]} values */
const median = values => values.sort((x, y) => x - y)[values.length >> 1] ?? NaN;

/** Times calls on one stream, and collects the figures. */
export class Timing {
  /** @param {Device} device */
  constructor(device) {
    this.device = device;
    this.stream = new Stream({ device });
    this.start = new Event({ device });
    this.end = new Event({ device });
    /** @type {Record<string, number>} */
    this.figures = {};
    /** What failed, and why. @type {string[]} */
    this.problems = [];
  }

  /** Microseconds of `batch` calls, without the work that is still pending on the device. @param {number} batch @param {() => unknown} call */
  once(batch, call) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < batch; i++) call();
    const elapsed = Number(process.hrtime.bigint() - start) / 1000;
    this.device.synchronize();
    return elapsed;
  }

  /**
   * Host time of a call: the median of 15 batches, each after a pause in which the event loop turns.
   * @param {string} key @param {() => unknown} call
   */
  async host(key, call, batch = 2000) {
    try {
      for (let i = 0; i < WARM_UP; i++) this.once(batch, call);
      /** @type {number[]} */
      const runs = [];
      for (let i = 0; i < RUNS; i++) {
        await new Promise(resolve => setImmediate(resolve));
        runs.push(this.once(batch, call) / batch);
      }
      this.figures[key] = median(runs);
    } catch (error) {
      this.problems.push(`${key}: ${error}`);
    }
  }

  /** Host time of one call out of a few, after warm-up. @param {() => unknown} call @param {number} batch */
  hostOf(call, batch) {
    this.once(batch, call);
    return median(Array.from({ length: 7 }, () => this.once(batch, call) / batch));
  }

  /** Microseconds of a call which waits for its work. @param {() => unknown} call @param {number} [warmUp] more for calls of much JavaScript */
  blocking(call, runs = 7, warmUp = 1) {
    for (let i = 0; i < warmUp; i++) this.once(1, call);
    return median(Array.from({ length: runs }, () => this.once(1, call)));
  }

  /**
   * Microseconds of a call by the device's clock. The first of two calls keeps the device busy while the host submits the second one,
   * which is timed: so the host's time is not in it, if the host is faster than the device. A simulated device has only virtual time, so it
   * is measured with the host's clock.
   * @param {() => unknown} call @param {number} [warmUp] more for fast work: V8 optimizes a call after hundreds of them
   */
  deviceOf(call, warmUp = 0) {
    const { stream, start, end } = this;
    if (this.device.simulated) return this.blocking(call);
    for (let i = 0; i < warmUp; i++) call();
    /** @type {number[]} */
    const runs = [];
    for (let run = 0; run < RUNS + 3; run++) {
      call();
      stream.record(start);
      call();
      stream.record(end);
      end.synchronize();
      if (run >= 3) runs.push(end.elapsedSince(start) * 1000);
    }
    return median(runs);
  }

  /** Device time of one of the calls in a graph, where the host costs nothing; on a simulated device that of a call. @param {() => unknown} call */
  replayOf(call, nodes = NODES) {
    if (this.device.simulated) return this.blocking(call);
    call(); // compiles
    this.device.synchronize();
    using graph = this.stream.capture(() => {
      for (let node = 0; node < nodes; node++) call();
    });
    return this.deviceOf(() => graph.launch(this.stream)) / nodes;
  }

  /** Stores a figure; a measure that fails leaves a gap and its reason. @param {string} key @param {() => number} measure */
  put(key, measure) {
    try {
      this.figures[key] = measure();
    } catch (error) {
      this.problems.push(`${key}: ${error}`);
    }
  }

  /** @param {string} key @param {number} amount of a call, in bytes or thousand operations @param {() => number} measure microseconds */
  rate(key, amount, measure) {
    this.put(key, () => amount / measure() / 1000);
  }
}
