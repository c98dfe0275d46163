/** Names and figures of a cluster's picture, for kernel and page. Pure. */

import { formatDuration } from '../../base/time-text.ts';
import type { Transfers, WorkerFacts } from '../../cluster/facts.ts';

/** Returns a function that finds a worker's name by its address; the address itself, without its protocol, for a worker that is not listed. */
export function nameWorkers(
  workers: readonly Pick<WorkerFacts, 'address' | 'name'>[]
): (address: string) => string {
  const names = new Map(workers.map(({ address, name }) => [address, name]));
  return address => (names.get(address) ?? address).replace(/^\w+:\/\//, '');
}

/** Formats the speed of transfers: `2.41 GB/s`, of the bytes and the time of all of them. */
export function speedOf({ bytes, ms }: Transfers): string {
  return ms > 0 ? `${Number((bytes / ms / 1e6).toPrecision(3))} GB/s` : '';
}

/** Formats how long a task runs, with the same number of digits at each read: `1.5 s`, from a minute on `1 min 30 s`. */
export function runningFor(ms: number): string {
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(1000 * ms);
}
