/** Queries about the notebook through the inspector, which the executor answers while a cell is paused or busy. */

import type { Runtime } from 'node:inspector';
import { setTimeout } from 'node:timers/promises';
import {
  NOTEBOOK_ACCESS,
  type BreakpointLines,
  type CellPlaceAnswer,
  type PlaceQuery,
  type ValueAnswer
} from '../../protocol/debugger-messages.ts';
import { InspectorError, type InspectorClient } from './inspector-client.ts';

/** Methods of the object under `NOTEBOOK_ACCESS`. */
type AccessMethod =
  | 'places'
  | 'filesOf'
  | 'breakpoints'
  | 'openKernel'
  | 'describe'
  | 'assign'
  | 'flush'
  | 'bundle'
  | 'variables'
  | 'members';

/**
 * Critical sections are short, but each attempt may find the thread in another one, if its code prints in a loop, and a busy machine may suspend
 * it inside of one. Each pause is a millisecond longer than the one before.
 */
const DESCRIBE_ATTEMPTS = 20;

export class NotebookClient {
  readonly #inspector: InspectorClient;
  #access: Promise<string> | undefined;

  constructor(inspector: InspectorClient) {
    this.#inspector = inspector;
  }

  /** Forgets the handle to the notebook, which a disconnect invalidates. */
  forget(): void {
    this.#access = undefined;
  }

  places(queries: readonly PlaceQuery[]): Promise<(CellPlaceAnswer | null)[]> {
    return this.#value('places', [{ value: queries }]);
  }

  /** Returns the scripts of a cell with this text, or of kernels in it or in the file with this path. */
  filesOf(key: string): Promise<string[]> {
    return this.#value('filesOf', [{ value: key }]);
  }

  /** Tells which lines have breakpoints: kernels with one run in the debugger. */
  async breakpoints(all: readonly BreakpointLines[]): Promise<void> {
    await this.#value('breakpoints', [{ value: all }]);
  }

  /** Lets a kernel go on whose breakpoints are set. */
  async openKernel(id: number): Promise<void> {
    await this.#value('openKernel', [{ value: id }]);
  }

  /** Returns the texts of objects, asking again while the thread is in a critical section; an answer may still lack its text. */
  async describe(values: readonly Runtime.RemoteObject[]): Promise<ValueAnswer[]> {
    for (let attempt = 1; ; attempt += 1) {
      const answers = await this.#value<ValueAnswer[]>('describe', values.map(asArgument));
      if (attempt === DESCRIBE_ATTEMPTS || answers.every(({ text }) => text !== undefined)) return answers;
      await setTimeout(attempt);
    }
  }

  async assign(name: string, value: Runtime.RemoteObject): Promise<void> {
    await this.#value('assign', [{ value: name }, asArgument(value)]);
  }

  async flush(): Promise<void> {
    await this.#value('flush', []);
  }

  /** Returns the MIME bundle of a value. With `atOnce`, for a paused thread, it does not wait for promises. */
  bundle(value: Runtime.RemoteObject, atOnce: boolean): Promise<Record<string, unknown>> {
    return this.#value('bundle', [asArgument(value), { value: atOnce }], { awaitPromise: !atOnce });
  }

  /** Returns an object with a property for each variable of the notebook; it lives as long as its group. */
  async variables(objectGroup: string): Promise<string> {
    return (await this.#call('variables', [], { objectGroup })).objectId!;
  }

  /** Returns an array of `count` members from `start`: elements of an array, values of a set, `{ key, value }` of a map. */
  async members(objectId: string, start: number, count: number, objectGroup: string): Promise<string> {
    const range = [{ objectId }, { value: start }, { value: count }];
    return (await this.#call('members', range, { objectGroup })).objectId!;
  }

  async #value<Value>(
    method: AccessMethod,
    args: readonly Runtime.CallArgument[],
    options: Partial<Runtime.CallFunctionOnParameterType> = {}
  ): Promise<Value> {
    return (await this.#call(method, args, { ...options, returnByValue: true })).value as Value;
  }

  async #call(
    method: AccessMethod,
    args: readonly Runtime.CallArgument[],
    options: Partial<Runtime.CallFunctionOnParameterType>
  ): Promise<Runtime.RemoteObject> {
    const answer = await this.#inspector.post('Runtime.callFunctionOn', {
      objectId: await (this.#access ??= this.#find()),
      functionDeclaration: `function (...args) { return this.${method}(...args); }`,
      arguments: [...args],
      silent: true,
      ...options
    });
    return resultOf(answer);
  }

  async #find(): Promise<string> {
    const expression = `globalThis[Symbol.for(${JSON.stringify(NOTEBOOK_ACCESS)})]`;
    const { result } = await this.#inspector.post('Runtime.evaluate', { expression, silent: true });
    if (result.objectId !== undefined) return result.objectId;
    this.#access = undefined;
    throw new InspectorError('The process that runs the cells is still starting: try again');
  }
}

/** Returns the result. Throws `InspectorError` with the text of what the code threw. */
export function resultOf(answer: Runtime.EvaluateReturnType): Runtime.RemoteObject {
  const { exceptionDetails, result } = answer;
  if (exceptionDetails === undefined) return result;
  const { exception, text } = exceptionDetails;
  throw new InspectorError(exception?.description?.split('\n')[0] ?? String(exception?.value ?? text));
}

export function asArgument({
  objectId,
  unserializableValue,
  value
}: Runtime.RemoteObject): Runtime.CallArgument {
  if (objectId !== undefined) return { objectId };
  return unserializableValue === undefined ? { value: value as unknown } : { unserializableValue };
}
