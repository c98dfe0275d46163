/** Interrupts every situation many times, and measures the time until the cell's reply. */

import { setTimeout as sleep } from 'node:timers/promises';
import { NoAnswer } from './client.mjs';
import { probe, situations } from './situations.mjs';

const STUCK_MS = 40;
/** After this time a cell counts as begun, because kernels that share their thread with the cell cannot report it. */
const BEGIN_MS = 1_000;
/** A cell that has not ended after this time counts as not stopped. */
const DEADLINE_MS = 2_000;

/** @typedef {{ rounds: number, stopped: number, kept: number, times: number[] }} Interrupted times in ms */

/**
 * @param {() => Promise<import('./client.mjs').BenchClient>} start starts a kernel; called again after a situation ended one
 * @param {'message' | 'signal'} mode
 * @param {number} rounds of each situation
 * @param {number} settle ms to wait after an interrupt: some kernels abort all cells for a while
 * @param {readonly string[]} [names] situations; by default all
 * @returns {Promise<Record<string, Interrupted>>}
 */
export async function measureInterrupts(start, mode, rounds, settle, names = Object.keys(situations)) {
  /** @type {Record<string, Interrupted>} */
  const results = {};
  let kernel = await fresh(start);
  for (const name of names) {
    const result = { rounds, stopped: 0, kept: 0, times: /** @type {number[]} */ ([]) };
    results[name] = result;
    for (let round = 0; round < rounds; round += 1) {
      try {
        result.times.push(await interruptOnce(kernel, /** @type {string} */ (situations[name]), mode));
        result.stopped += 1;
        await sleep(settle);
        if (await keepsVariables(kernel)) result.kept += 1;
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        await kernel.kill();
        kernel = await fresh(start);
        // A situation that ends a peer is not repeated.
        if (result.stopped === 0) break;
      }
    }
  }
  await kernel.close();
  return results;
}

/** @param {() => Promise<import('./client.mjs').BenchClient>} start */
async function fresh(start) {
  const kernel = await start();
  await kernel.execute('var kept = 42');
  return kernel;
}

/** Whether the variable still exists. Waits for the output, which may arrive after a peer's idle status. @param {import('./client.mjs').BenchClient} kernel */
async function keepsVariables(kernel) {
  const seen = kernel.next(
    (_, { type, content }) => type === 'stream' && content['text'].includes('kept=42'),
    DEADLINE_MS
  );
  const [told] = await Promise.allSettled([seen, kernel.execute(probe, DEADLINE_MS)]);
  return told.status === 'fulfilled';
}

/** @param {import('./client.mjs').BenchClient} kernel @param {string} code @param {'message' | 'signal'} mode */
async function interruptOnce(kernel, code, mode) {
  let id = '';
  const begun = kernel.next(
    (_, message) =>
      message.parent === id && message.type === 'stream' && message.content['text'].includes('begun'),
    BEGIN_MS
  );
  id = kernel.sendExecution(code);
  await begun.catch(() => undefined);
  await sleep(STUCK_MS);
  const ended = kernel.next((channel, { parent }) => channel === 'shell' && parent === id, DEADLINE_MS);
  const asked = performance.now();
  kernel.interrupt(mode);
  const { at } = await ended;
  return at - asked;
}
