/** Errors of tasks and clusters. */

import { PeerLostError, StridelabError } from '../base/errors.ts';

/** A cluster that cannot be reached or started, or a function that cannot run there. */
export class ClusterError extends StridelabError {
  constructor(message: string, options?: ErrorOptions) {
    super('ERR_CLUSTER', message, options);
  }
}

/** An error that a task's function threw on a worker. `stack` has the function's frames there. */
export class TypeScriptError extends StridelabError {
  /** The class of the error, such as `RangeError`. */
  readonly thrown: string;

  constructor(thrown: string, message: string, frames: string, task: string) {
    super('ERR_TASK', `${thrown}: ${message}\n(task ${task})`);
    this.thrown = thrown;
    if (frames !== '') this.stack = `${this.name}: ${this.message}\n${frames}`;
  }
}

/** The Node process beside a worker ended while it ran the task, or does not start. The next task starts another; `retries` repeats this one. */
export class NodeLostError extends StridelabError {
  constructor(message: string, task: string) {
    super('ERR_TASK', `${message}\n(task ${task})`);
  }
}

/** A task whose workers died one after the other, so that Dask does not run it again. */
export class KilledWorkerError extends StridelabError {
  constructor(message: string) {
    super('ERR_TASK', message);
  }
}

/** A task that was cancelled, or whose result was released. */
export class TaskCancelledError extends StridelabError {
  constructor(task: string) {
    super('ERR_TASK', `task ${task} was cancelled`);
  }
}

/** Kind, name, message and stack of an exception: `explain` in python/stridelab/cluster/client.py. */
export type Explanation = readonly [kind: string, name: string, message: string, stack: string];

/** What is known of a task whose future ended without a result. */
export interface TaskFacts {
  readonly key: string;
  /** The source of its function; undefined for scattered values and tasks in Python. */
  readonly source: string | undefined;
  /** Whether this client cancelled it. */
  readonly cancelled: boolean;
}

/** Returns the error for an exception of a task. */
export function errorOfTask(
  [kind, name, message, stack]: Explanation,
  { key, source, cancelled }: TaskFacts
): Error {
  if (kind === 'typescript') return new TypeScriptError(name, message, stack, key);
  if (kind === 'node') return new NodeLostError(message, key);
  if (kind === 'killed')
    return new KilledWorkerError(source === undefined ? message : `${message}\nThe function is:\n${source}`);
  if (cancelled || kind === 'stopped') return new TaskCancelledError(key);
  if (kind === 'connection' || name === 'scheduler-connection-lost')
    return new ClusterError(
      `the connection to the scheduler was lost while ${key} was needed${message === '' ? '' : `: ${message}`}`
    );
  return lostData(key, [name, message].filter(part => part !== '' && part !== 'unknown').join(': '));
}

/** Returns the error for a value that was on ended workers only and cannot be computed again. */
export function lostData(key: string, reason = ''): PeerLostError {
  return new PeerLostError(
    `${key} is lost${reason === '' ? '' : ` (${reason})`}: its data, or data it depends on, was only on a worker that has ended. Scattered ` +
      'values cannot be computed again: scatter them with `replicas: 2`, or make them in a task'
  );
}
