/** A cluster whose state can be read and shown: the base of the class that `connect` returns. */

import type { DISPLAY_METHOD, MimeBundle } from '../notebook/host.ts';
import { PythonError, python, type PyObject } from '../python/index.ts';
import type { ClusterFacts, ClusterObservation } from './facts.ts';

/** Milliseconds for which facts are current: pictures of one cluster share a read. */
const CURRENT_MS = 250;

/** A Dask cluster that `inspect` shows. A subclass provides the client and reports whether it was closed. */
export abstract class ObservedCluster {
  /** The `distributed.Client` of the connection; it is synchronous, as programs create it. */
  abstract readonly client: PyObject;
  /** Whether the connection was closed. */
  abstract readonly closed: boolean;
  /** Returns the display of the cluster in a notebook. */
  declare readonly [DISPLAY_METHOD]: () => Promise<MimeBundle>;
  #facts: ClusterFacts | null = null;
  #problem: string | null = null;
  #reading: Promise<ClusterFacts> | undefined;
  #readAt = -Infinity;

  /**
   * Reads the cluster's state: workers, tasks, transfers and failures, in one round trip to the scheduler. At most four reads a second
   * reach it.
   * @throws PythonError (ConnectionError) if the scheduler does not answer within 5 seconds, or the connection is closed
   */
  async facts(): Promise<ClusterFacts> {
    if (this.#facts !== null && performance.now() - this.#readAt < CURRENT_MS) return this.#facts;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Reads the state and returns what is then known. Never rejects: `problem` is the reason. */
  async observe(): Promise<ClusterObservation> {
    if (!this.closed) await this.facts().catch(() => undefined);
    return this.observation;
  }

  /** What the last read found. */
  get observation(): ClusterObservation {
    return { facts: this.#facts, problem: this.closed ? null : this.#problem, closed: this.closed };
  }

  async #read(): Promise<ClusterFacts> {
    try {
      const { read } = python.import('stridelab.cluster.facts');
      const facts = JSON.parse(String(await python.callAsync(read as PyObject, this.client))) as ClusterFacts;
      this.#facts = facts;
      this.#problem = null;
      this.#readAt = performance.now();
      return facts;
    } catch (error) {
      this.#problem = sentenceOf(error);
      this.#readAt = -Infinity;
      throw error;
    }
  }
}

/** Returns the message of an error, without the class of a lost connection, which the message describes. */
function sentenceOf(error: unknown): string {
  const { message } = error as Error;
  return error instanceof PythonError ? message.replace(/^ConnectionError: /, '') : message;
}
