/** The task that the running code belongs to. */

import { AsyncLocalStorage } from 'node:async_hooks';

/** A running task, as its function sees it. */
export interface Task {
  /** Dask's key of the task. */
  readonly key: string;
  /** Aborted when the task is cancelled, or its result is no longer needed. A task that ignores it for two seconds ends with its process. */
  readonly signal: AbortSignal;
}

const tasks = new AsyncLocalStorage<Task>();

/** Returns the task that the running code belongs to, also after its awaits; undefined outside tasks. */
export function currentTask(): Task | undefined {
  return tasks.getStore();
}

/** Runs a function as the function of a task. */
export function runAsTask<Result>(task: Task, run: () => Result): Result {
  return tasks.run(task, run);
}
