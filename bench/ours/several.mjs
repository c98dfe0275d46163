/** Several devices: copies between the first two, and all-reduce over all of them, in one process and with a process for each. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { devices, empty, full, Stream, zeros } from 'stridelab';
import { Communicator } from 'stridelab/collectives';

/** @typedef {import('./timing.mjs').Timing} Timing */
/** @typedef {import('../measures.mjs').Sizes} Sizes */

/** Copies that are queued one after the other. */
const CALLS = 20;
const ROUNDS = 5;
/** Collectives that are queued one after the other: enough small ones for the optimizing compiler. */
const collectives = (/** @type {number} */ exponent) => (exponent < 24 ? 1000 : 20);
const SMALL = 4096;

/** The devices of one kind. @param {Timing} timing */
export const devicesLike = ({ device }) =>
  devices().filter(each => each.simulated === device.simulated && each.kind === device.kind);

/** @param {Timing} timing @param {Sizes} sizes */
export async function copies(timing, sizes) {
  const [first, second] = devicesLike(timing);
  if (first === undefined || second === undefined) return;
  /** A copy from one device to another, on a stream of the target. */
  const copy = (/** @type {number} */ bytes, from = first, to = second) => {
    const source = full(bytes, 1, { dtype: 'uint8', stream: new Stream({ device: from }) });
    const target = empty(bytes, { dtype: 'uint8', stream: new Stream({ device: to }) });
    return () => target.copyFrom(source);
  };
  const wait = () => [first, second].forEach(each => each.synchronize());
  /** Microseconds of one of several queued calls. @param {() => unknown} call */
  const queued = call =>
    timing.blocking(() => {
      for (let i = 0; i < CALLS; i++) call();
      wait();
    }) / CALLS;
  const [there, back] = [copy(sizes.host), copy(sizes.host, second, first)];
  timing.rate('pair.copy', sizes.host, () => queued(there));
  timing.rate('pair.both', 2 * sizes.host, () => queued(() => (there(), back())));
  const little = copy(SMALL);
  timing.put('pair.small', () => timing.blocking(() => (little(), wait()), 101, 500));
  await timing.host('pair.host', little, 200);
}

/**
 * Times in-place calls of all-reduce that are queued one after the other, for each size of the curve.
 * @param {readonly Communicator[]} communicators @param {Sizes} sizes @returns {Record<number, number>} microseconds of a call
 */
export function allReduce(communicators, sizes) {
  /** @type {Record<number, number>} */
  const taken = {};
  for (const exponent of sizes.reduced) {
    const streams = communicators.map(({ device }) => new Stream({ device }));
    const arrays = streams.map(stream => zeros(2 ** exponent / 4, { dtype: 'float32', stream }));
    const call = () =>
      Communicator.group(() =>
        communicators.map((communicator, i) => communicator.allReduce(arrays[i], { out: arrays[i] }))
      );
    const round = (/** @type {number} */ count) => {
      const start = process.hrtime.bigint();
      for (let i = 0; i < count; i++) call();
      for (const stream of streams) stream.synchronize();
      return Number(process.hrtime.bigint() - start) / 1000 / count;
    };
    const calls = collectives(exponent);
    round(calls);
    const rounds = Array.from({ length: ROUNDS }, () => round(calls)).sort((x, y) => x - y);
    taken[exponent] = rounds[ROUNDS >> 1] ?? NaN;
    for (const array of arrays) array.dispose();
    for (const stream of streams) stream.dispose();
  }
  return taken;
}

/** Stores the figures of the table and of the curve. @param {Timing} timing @param {'one' | 'each'} how @param {Record<number, number>} taken */
function store(timing, how, taken) {
  const ranks = devicesLike(timing).length;
  for (const [exponent, us] of Object.entries(taken)) {
    timing.figures[`curve.allreduce.${how}.${exponent}`] = us;
    timing.figures[`allreduce.${how}.${exponent}`] = us;
    // Each GPU at least sends and receives this many bytes.
    const bytes = (2 * (ranks - 1) * 2 ** Number(exponent)) / ranks;
    timing.rate(`allreduce.${how}.bus.${exponent}`, bytes, () => us);
  }
}

/** @param {Timing} timing @param {Sizes} sizes */
export async function oneProcess(timing, sizes) {
  const chosen = devicesLike(timing);
  if (chosen.length < 2) return;
  const communicators = Communicator.initAll(chosen);
  store(timing, 'one', allReduce(communicators, sizes));
  await Promise.all(communicators.map(communicator => communicator.destroy()));
}

/** A process for each GPU, as PyTorch. Simulated devices are of one process. @param {Timing} timing */
export async function processEach(timing) {
  const ranks = devicesLike(timing).length;
  if (ranks < 2 || timing.device.simulated) return;
  const program = fileURLToPath(new URL('rank.mjs', import.meta.url));
  const id = Buffer.from(Communicator.uniqueId()).toString('hex');
  const answers = await Promise.all(
    Array.from({ length: ranks }, async (_, rank) => {
      const child = spawn(process.execPath, [program, `${rank}`, `${ranks}`, id], {
        stdio: ['ignore', 'pipe', 'inherit']
      });
      child.stdout.setEncoding('utf8');
      let text = '';
      for await (const piece of child.stdout) text += piece;
      return /** @type {Record<number, number>} */ (JSON.parse(text));
    })
  );
  // A call ends when its slowest rank ends.
  const slowest = Object.keys(answers[0] ?? {}).map(exponent => [
    exponent,
    Math.max(...answers.map(answer => answer[Number(exponent)] ?? NaN))
  ]);
  store(timing, 'each', Object.fromEntries(slowest));
}
