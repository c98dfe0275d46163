/** Functions that run on the workers of a cluster. */

import { createHash } from 'node:crypto';

import { ArgumentError } from '../base/errors.ts';
import { ClusterError } from './errors.ts';
import { freeNames } from './free-names.ts';
import type { Lazy, Remote } from './remote.ts';

/** Options of a task. */
export interface TaskOptions {
  /** How often the task runs again after an error. Default: 0. */
  readonly retries?: number;
  /** The addresses or names of the workers that may run it. Default: all. */
  readonly workers?: readonly string[];
  /** Whether another worker may run it if none of `workers` is free. Default: false. */
  readonly allowOtherWorkers?: boolean;
  /** Tasks with a higher priority run first. Default: 0. */
  readonly priority?: number;
  /** What the task needs of the resources that workers declare, such as `{ GPU: 1 }`. */
  readonly resources?: Readonly<Record<string, number>>;
  /** Whether equal calls share one task. False for functions with side effects or random results. Default: true. */
  readonly pure?: boolean;
  /** Dask's key of the task. Default: the function's name and a hash of the call. */
  readonly key?: string;
}

type LazyArguments<Values extends readonly unknown[]> = { [Index in keyof Values]: Lazy<Values[Index]> };

/** A function whose calls are tasks of a cluster. Each argument is a value, or the remote result of another task. */
export interface TaskFunction<Values extends readonly unknown[], Result> {
  /** Submits a task, which starts once its arguments are computed. */
  (...values: LazyArguments<Values>): Remote<Result>;
  /** Returns this function with options for its tasks. */
  with(options: TaskOptions): TaskFunction<Values, Result>;
  /** Only for the compiler, which cannot find the types of the arguments in those of the call. */
  readonly types?: (...values: Values) => Result;
  /** The function's text, as it runs on workers. */
  readonly source: string;
  readonly name: string;
}

/** A function's source, as workers receive it. */
export interface FunctionSource {
  /** The SHA-256 of the source, in hexadecimal. */
  readonly digest: string;
  readonly name: string;
  readonly source: string;
}

/** Returns the source of a function. @throws ClusterError if it uses names that workers do not have */
export function sourceOf(
  function_: (...values: never[]) => unknown,
  name = function_.name === '' ? 'task' : function_.name
): FunctionSource {
  if (typeof function_ !== 'function')
    throw new ArgumentError(`cluster.fn expects a function, not ${typeof function_}`);
  const source = Function.prototype.toString.call(function_);
  const missing = freeNames(source);
  if (missing.length > 0)
    throw new ClusterError(
      `${name} uses ${missing.join(', ')}, which workers do not have: pass it as an argument, define it inside the function, or import it ` +
        'there, as in const { add } = await import("stridelab")'
    );
  return { digest: createHash('sha256').update(source).digest('hex'), name, source };
}

/** Returns Dask's names of options. */
export function daskOptions(options: TaskOptions): Record<string, unknown> {
  const { retries, workers, allowOtherWorkers, priority, resources, pure, key } = options;
  const named = { retries, workers, allow_other_workers: allowOtherWorkers, priority, resources, pure, key };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}
