/** Runs tasks for the Python worker that started this process. */

import { isPromise } from 'node:util/types';

import { NDArray } from '../../array/array.ts';
import { ArgumentError } from '../../base/errors.ts';
import type { CallableFromPython, NativePythonHandle, ToPython } from '../../native/python-binding.ts';
import { PythonModule } from '../../python/interpreter/helpers.ts';
import type { Interpreter } from '../../python/interpreter/interpreter.ts';
import { handleOf, pyObject } from '../../python/interpreter/object.ts';
import { trace } from '../../recording/trace/trace.ts';
import { runAsTask } from '../task.ts';
import { mapObjects, PythonValues } from '../values.ts';
import { SOURCE_SUFFIX, TaskFunctions } from './functions.ts';

/** Reports how a task ended: python/stridelab/cluster/node.py. */
type NodeFunction = 'attach' | 'settle' | 'failure';

interface Running {
  readonly controller: AbortController;
  /** Arrays over memory of the worker, which are valid until the task ends. */
  readonly arrays: NDArray[];
}

export class TaskRunner {
  readonly #python: Interpreter;
  readonly #values: PythonValues;
  readonly #node: PythonModule<NodeFunction>;
  readonly #functions = new TaskFunctions();
  readonly #running = new Map<number, Running>();
  /** The Python object that stands for a result that follows. */
  readonly #pending: NativePythonHandle;

  /** Registers with the Python object that `number` stands for. */
  constructor(python: Interpreter, number: number) {
    this.#python = python;
    this.#values = new PythonValues(python);
    this.#node = PythonModule.imported(python.native, 'stridelab.cluster.node');
    const { native } = python;
    const run = native.makeFunction(this.#run, 'run');
    const abort = native.makeFunction((_names, task) => this.#abort(task as number), 'abort', true);
    this.#pending = this.#node.call('attach', number, run, abort) as NativePythonHandle;
  }

  /** Called with the task's number and key, the digest, name and source of its function (or None), and the function's arguments. */
  readonly #run: CallableFromPython = (_names, task, key, digest, name, source, ...values) => {
    const running: Running = { controller: new AbortController(), arrays: [] };
    const number = task as number;
    this.#running.set(number, running);
    let result: unknown;
    try {
      const found =
        typeof source === 'string'
          ? this.#functions.add(digest as string, name as string, source)
          : this.#functions.find(digest as string);
      if (found === undefined) throw new Error(`the source of function ${name as string} has not arrived`);
      const converted = values.map(value => this.#values.take(value, array => running.arrays.push(array)));
      const context = { key: key as string, signal: running.controller.signal };
      // In a trace, the key labels what the task submits.
      result = runAsTask(context, () => trace.label(context.key, () => found(...converted)));
      if (!isPromise(result)) return this.#give(result);
    } catch (error) {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- by the contract of PythonCalls
      throw this.#failure(error);
    } finally {
      if (!isPromise(result)) this.#end(number);
    }
    void this.#follow(number, result);
    return this.#pending;
  };

  async #follow(number: number, result: Promise<unknown>): Promise<void> {
    let raised = false;
    let outcome: ToPython;
    try {
      outcome = this.#give(await result);
    } catch (error) {
      raised = true;
      outcome = this.#failure(error);
    }
    this.#end(number);
    this.#node.call('settle', number, raised, outcome);
  }

  #abort(number: number): undefined {
    this.#running.get(number)?.controller.abort();
  }

  #end(number: number): void {
    const running = this.#running.get(number);
    this.#running.delete(number);
    for (const array of running?.arrays ?? []) array.dispose();
  }

  /** Converts a result, whose arrays Python copies out of this process. */
  #give(result: unknown): ToPython {
    return this.#python.toPython(mapObjects(result, value => this.#prepare(value)));
  }

  /** Makes arrays on devices contiguous, since Python copies only those. @throws ArgumentError for a function */
  #prepare(value: object): unknown {
    if (value instanceof Uint8Array) return pyObject(this.#python, this.#python.native.makeBytes(value));
    if (typeof value === 'function' && handleOf(value) === undefined)
      throw new ArgumentError('a task cannot return a function: return data, or an object with data only');
    if (!(value instanceof NDArray) || value.storage.kind !== 'device' || value.isRowMajor) return value;
    return value.copy();
  }

  #failure(error: unknown): NativePythonHandle {
    const { name, message, stack } =
      error instanceof Error ? error : { name: 'thrown value', message: String(error), stack: undefined };
    return this.#node.call('failure', name, message, framesOfTask(stack)) as NativePythonHandle;
  }
}

/** Returns the frames of a stack down to the task's own function; none if that is not among them. */
function framesOfTask(stack = ''): string {
  const frames = stack.split('\n').filter(line => /^ {4}at /.test(line));
  const last = frames.findLastIndex(line => line.includes(SOURCE_SUFFIX));
  return frames.slice(0, last + 1).join('\n');
}
