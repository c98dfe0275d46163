/** Tasks in TypeScript on a Dask cluster. */

export {
  Cluster,
  type FunctionOptions,
  type GatherOptions,
  type MapOptions,
  type ScatterOptions
} from './cluster.ts';
export { connect, type ConnectOptions, type LocalClusterOptions } from './connect.ts';
export {
  ClusterError,
  KilledWorkerError,
  NodeLostError,
  TaskCancelledError,
  TypeScriptError
} from './errors.ts';
export type { Lazy, Remote, RemoteStatus } from './remote.ts';
export type { TaskFunction, TaskOptions } from './function.ts';
export { currentTask, type Task } from './task.ts';
