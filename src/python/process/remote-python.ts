/** NativePython over another process: each call is a message there and one back. */

import { ArgumentError } from '../../base/errors.ts';
import type {
  CallableFromPython,
  FromPython,
  NativePython,
  NativePythonHandle,
  ToPython
} from '../../native/python-binding.ts';
import type { Raise } from '../interpreter/host.ts';
import { Connection } from './connection.ts';
import { RemoteHandle } from './handle.ts';
import type { Operation } from './protocol.ts';

export class RemotePython implements NativePython {
  readonly connection: Connection;
  /** Set before anything can be raised. */
  raise: Raise = () => new Error('an exception before the start');

  /** Starts the process. @throws PythonUnavailableError */
  constructor(executable: string) {
    this.connection = new Connection(executable);
  }

  start(_library: string, _arguments: readonly string[], raise: Raise): string {
    this.raise = raise;
    return this.connection.version;
  }

  execute(source: string, file: string, globals: NativePythonHandle): void {
    this.#ask('execute', [source, file, globals]);
  }

  module(name: string): NativePythonHandle {
    return this.#make('module', [name]);
  }

  import(name: string): NativePythonHandle {
    return this.#make('import', [name]);
  }

  getAttribute(object: NativePythonHandle, name: string): FromPython | null {
    return this.#ask('getAttribute', [object, name]);
  }

  setAttribute(object: NativePythonHandle, name: string, ...value: [ToPython?]): void {
    this.#ask('setAttribute', [object, name, ...value]);
  }

  getItem(object: NativePythonHandle, key: ToPython): FromPython {
    return this.#ask('getItem', [object, key]) as FromPython;
  }

  setItem(object: NativePythonHandle, key: ToPython, ...value: [ToPython?]): void {
    this.#ask('setItem', [object, key, ...value]);
  }

  call(callable: NativePythonHandle, ...values: ToPython[]): FromPython {
    return this.#ask('call', [callable, ...values]) as FromPython;
  }

  callKeywords(
    callable: NativePythonHandle,
    values: readonly ToPython[],
    keywords: NativePythonHandle
  ): FromPython {
    return this.#ask('callKeywords', [callable, keywords, ...values]) as FromPython;
  }

  callAsync(
    callable: NativePythonHandle,
    ...values: ToPython[]
  ): Promise<[raised: boolean, outcome: FromPython]> {
    const writer = this.connection.beginAsync();
    for (const value of [callable, ...values]) this.connection.write(writer, value);
    return this.connection.finishAsync();
  }

  iterate(object: NativePythonHandle): NativePythonHandle {
    return this.#make('iterate', [object]);
  }

  next(iterator: NativePythonHandle): FromPython | null {
    return this.#ask('next', [iterator]);
  }

  truth(object: NativePythonHandle): boolean {
    return this.#ask('truth', [object]) === true;
  }

  isCallable(object: NativePythonHandle): boolean {
    return this.#ask('isCallable', [object]) === true;
  }

  makeInt(value: number | bigint): NativePythonHandle {
    if (typeof value !== 'bigint' && !Number.isSafeInteger(value))
      throw new ArgumentError('an int needs a bigint or a whole number');
    return this.#make('makeInt', [value]);
  }

  makeFloat(value: number): NativePythonHandle {
    if (typeof value !== 'number') throw new ArgumentError('a float needs a number');
    return this.#make('makeFloat', [value]);
  }

  makeObject(value: ToPython): NativePythonHandle {
    return this.#make('makeObject', [value]);
  }

  makeBytes(bytes: ArrayBufferView): NativePythonHandle {
    const writer = this.connection.begin('makeObject');
    writer.bytes(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return this.connection.finish(this.raise) as NativePythonHandle;
  }

  makeList(items: readonly ToPython[]): NativePythonHandle {
    return this.#make('makeList', items);
  }

  makeTuple(items: readonly ToPython[]): NativePythonHandle {
    return this.#make('makeTuple', items);
  }

  makeSet(items: readonly ToPython[]): NativePythonHandle {
    return this.#make('makeSet', items);
  }

  makeDict(keys: readonly ToPython[], values: readonly ToPython[]): NativePythonHandle {
    return this.#make(
      'makeDict',
      keys.flatMap((key, index) => [key, values[index]])
    );
  }

  makeSlice(start: ToPython, stop: ToPython, step: ToPython): NativePythonHandle {
    return this.#make('makeSlice', [start, stop, step]);
  }

  makeFunction(function_: CallableFromPython, name: string, onlyTold = false): NativePythonHandle {
    return this.#make('makeFunction', [this.connection.keep(function_), name, onlyTold]);
  }

  bytesOf(bytes: NativePythonHandle): Uint8Array<ArrayBuffer> {
    return this.#ask('bytesOf', [bytes]) as unknown as Uint8Array<ArrayBuffer>;
  }

  /** Dicts, lists, tuples, sets and bytes inside `object` as JavaScript's own, in one message; None inside is null. */
  copy(object: NativePythonHandle, fromPython: (value: FromPython) => unknown): unknown {
    return converted(this.#ask('copy', [object]), fromPython);
  }

  /** Opens one of our arrays there, `number` in `SharedArrays`. */
  openGrant(
    number: number,
    grant: string,
    descriptors: readonly number[],
    copied: boolean
  ): NativePythonHandle {
    const writer = this.connection.begin('openGrant');
    for (const value of [number, grant, descriptors.length, copied]) writer.scalar(value);
    return this.connection.finish(this.raise, descriptors) as NativePythonHandle;
  }

  /** Has an array there made ready for us as `number`; `use` gets its grant and files, or one of ours where it is that. */
  makeGrant<Result>(
    number: number,
    object: NativePythonHandle,
    use: (answer: FromPython, descriptors: readonly number[]) => Result
  ): Result {
    const writer = this.connection.begin('makeGrant');
    writer.number(number);
    this.connection.write(writer, object);
    return this.connection.finishWithFiles(this.raise, use);
  }

  release(object: NativePythonHandle): void {
    (object as unknown as RemoteHandle).release();
  }

  closeCallbacks(): void {
    this.connection.close();
  }

  countHandles(): number {
    return this.#ask('countObjects', []) as number;
  }

  #ask(operation: Operation, values: readonly ToPython[]): FromPython | null {
    const writer = this.connection.begin(operation);
    for (const value of values) this.connection.write(writer, value);
    return this.connection.finish(this.raise);
  }

  #make(operation: Operation, values: readonly ToPython[]): NativePythonHandle {
    return this.#ask(operation, values) as NativePythonHandle;
  }
}

/** The objects and functions inside of a copy by `fromPython`. */
function converted(value: unknown, fromPython: (value: FromPython) => unknown): unknown {
  if (Array.isArray(value)) return value.map(item => converted(item, fromPython));
  if (value instanceof Set) return new Set([...value].map(item => converted(item, fromPython)));
  if (value instanceof Map)
    return new Map(
      [...value].map(([key, item]) => [converted(key, fromPython), converted(item, fromPython)])
    );
  if (value === null || value === undefined) return null;
  if (value instanceof RemoteHandle || typeof value !== 'object') return fromPython(value as FromPython);
  if (value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, converted(item, fromPython)]));
}
