/** Implements NativePython over another process: each call is a message and its answer. */

import { addMembers } from '../../base/add-members.ts';
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
import type { RemoteHandle } from './handle.ts';
import { OPERATIONS, type Operation } from './protocol.ts';

export class RemotePython implements NativePython {
  declare readonly execute: NativePython['execute'];
  declare readonly module: NativePython['module'];
  declare readonly import: NativePython['import'];
  declare readonly getAttribute: NativePython['getAttribute'];
  declare readonly setAttribute: NativePython['setAttribute'];
  declare readonly getItem: NativePython['getItem'];
  declare readonly setItem: NativePython['setItem'];
  declare readonly call: NativePython['call'];
  declare readonly iterate: NativePython['iterate'];
  declare readonly next: NativePython['next'];
  declare readonly truth: NativePython['truth'];
  declare readonly isCallable: NativePython['isCallable'];
  declare readonly makeObject: NativePython['makeObject'];
  declare readonly makeSlice: NativePython['makeSlice'];
  declare readonly bytesOf: NativePython['bytesOf'];
  declare readonly countHandles: NativePython['countHandles'];
  /** Returns the bytes of a copy of the object, for a WireReader. */
  declare readonly copy: (object: NativePythonHandle) => Uint8Array;
  readonly connection: Connection;
  /** Set before any exception can be raised. */
  raise: Raise = () => new Error('an exception before the start');

  static {
    // An operation without a method sends its values unchanged, and returns the answer.
    for (const operation of OPERATIONS) {
      if (operation in this.prototype) continue;
      const ask = function (this: RemotePython, ...values: ToPython[]): FromPython | null {
        return this.#ask(operation, values);
      };
      addMembers(this.prototype, { [operation]: ask });
    }
  }

  /** Starts the process. @throws PythonUnavailableError */
  constructor(executable: string) {
    this.connection = new Connection(executable);
  }

  start(_library: string, _arguments: readonly string[], raise: Raise): string {
    this.raise = raise;
    return this.connection.version;
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

  makeInt(value: number | bigint): NativePythonHandle {
    if (typeof value !== 'bigint' && !Number.isSafeInteger(value))
      throw new ArgumentError('an int needs a bigint or a whole number');
    return this.#make('makeInt', [value]);
  }

  makeFloat(value: number): NativePythonHandle {
    if (typeof value !== 'number') throw new ArgumentError('a float needs a number');
    return this.#make('makeFloat', [value]);
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

  makeFunction(function_: CallableFromPython, name: string, onlyTold = false): NativePythonHandle {
    return this.#make('makeFunction', [this.connection.keep(function_), name, onlyTold]);
  }

  /** Opens an array of this process in Python, as `number` in `SharedArrays`. */
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

  /** Exports an array of Python as `number`; `use` gets its grant and files, or the array if it is one of JavaScript's. */
  makeGrant<Result>(
    number: number,
    object: NativePythonHandle,
    use: (answer: FromPython | null, descriptors: readonly number[]) => Result
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

  #ask(operation: Operation, values: readonly ToPython[]): FromPython | null {
    const writer = this.connection.begin(operation);
    for (const value of values) this.connection.write(writer, value);
    return this.connection.finish(this.raise);
  }

  #make(operation: Operation, values: readonly ToPython[]): NativePythonHandle {
    return this.#ask(operation, values) as NativePythonHandle;
  }
}
