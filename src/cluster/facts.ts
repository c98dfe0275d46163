/** The state of a Dask cluster as plain data, for kernel and page. Pure. Sizes are bytes; `at` is milliseconds since 1970, by the scheduler's clock. */

/** A task that a worker runs. */
export interface RunningTask {
  readonly key: string;
  /** The name of the function: the key without its token. */
  readonly name: string;
  /** Milliseconds since the worker started it. */
  readonly ms: number;
}

/** A GPU of a worker. Dask measures the first one that the worker sees, if pynvml is installed there. */
export interface WorkerGpu {
  readonly name: string;
  readonly memoryUsed: number;
  readonly memoryTotal: number;
}

export interface WorkerMemory {
  /** Results of tasks in memory, as Dask estimates them. */
  readonly managed: number;
  /** Memory of the worker's process, which includes `managed`. */
  readonly process: number;
  /** Results on disk. */
  readonly spilled: number;
  /** 0 without a limit. */
  readonly limit: number;
}

/** The Node beside a worker, which runs TypeScript. */
export interface WorkerNode {
  readonly pid: number | null;
  readonly state: string;
  readonly restarts: number;
}

export interface WorkerFacts {
  readonly address: string;
  readonly name: string;
  readonly host: string;
  readonly threads: number;
  /** Dask's word: `running`, `paused` (its memory is nearly full), `closing_gracefully`. */
  readonly status: string;
  /** Milliseconds since its last heartbeat. */
  readonly silentMs: number;
  readonly gpus: readonly WorkerGpu[];
  readonly memory: WorkerMemory;
  /** Null for a worker without our plugin. */
  readonly node: WorkerNode | null;
  /** Number of results that it holds. */
  readonly stored: number;
  /** Number of tasks that were sent to it and are not finished. */
  readonly processing: number;
  /** What it ran at its last heartbeat, the longest first, and the number of tasks that are not listed; null if unknown. */
  readonly running: { readonly tasks: readonly RunningTask[]; readonly more: number } | null;
}

/** Numbers of tasks by state. */
export interface TaskCounts {
  /** Wait for other tasks. */
  readonly waiting: number;
  /** Ready, but kept by the scheduler until a worker is free. */
  readonly queued: number;
  /** Ready, but no worker has what they require. */
  readonly unplaced: number;
  /** Sent to a worker: running there, or next. */
  readonly processing: number;
  /** Finished, with their results in the memory of workers. */
  readonly memory: number;
  readonly erred: number;
}

/** What one worker sent another since our plugin started on the receiver. */
export interface Transfers {
  /** Addresses. */
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
  readonly count: number;
  /** Milliseconds of all of them, added up. */
  readonly ms: number;
}

/** A task that failed, or a worker that was lost. */
export interface ClusterFailure {
  /** Null for a worker. */
  readonly key: string | null;
  readonly name: string | null;
  /** Address of the worker; null if the task ran on none. */
  readonly worker: string | null;
  /** Class of the exception; `worker lost` for a worker. */
  readonly type: string;
  readonly message: string;
  readonly at: number;
}

export interface ClusterFacts {
  /** Address of the scheduler, such as `tcp://10.0.0.5:8786`. */
  readonly scheduler: string;
  /** Address of Dask's dashboard; null without one. */
  readonly dashboard: string | null;
  /** Version of Dask on the scheduler. */
  readonly dask: string;
  /** Threads of all workers. */
  readonly threads: number;
  /** At most 64; `omitted` counts the others. */
  readonly workers: readonly WorkerFacts[];
  /** Null if unknown. */
  readonly tasks: TaskCounts | null;
  /** By pair of workers, most bytes first, at most 96; null if no worker reports them. */
  readonly transfers: readonly Transfers[] | null;
  /** The newest 12, oldest first. */
  readonly failures: readonly ClusterFailure[];
  /** Numbers of workers and of transfers that are not listed. */
  readonly omitted: { readonly workers: number; readonly transfers: number };
  /** Why the scheduler does not report tasks and failures; null if it does. */
  readonly refusal: string | null;
}

/** What is known of a cluster: the last facts, and whether they are current. */
export interface ClusterObservation {
  /** Null before the scheduler answered for the first time. */
  readonly facts: ClusterFacts | null;
  /** Why the latest read failed; null if it succeeded. */
  readonly problem: string | null;
  /** Whether the connection was closed here. */
  readonly closed: boolean;
}
