/** Calls of Python in another process: each call is a message and its answer. */

import { addMembers } from '../../base/add-members.ts';
import { ArgumentError } from '../../base/errors.ts';
import type {
  CallableFromPython,
  FromPython,
  NativePythonHandle,
  PythonCalls,
  ToPython
} from '../../native/python-binding.ts';
import type { Raise } from '../interpreter/host.ts';
import type { Connection } from './connection.ts';
import type { RemoteHandle } from './handle.ts';
import { OPERATIONS, type Operation } from './protocol.ts';

/** Declares the operations that `RemotePython` adds as methods. */
const Operations = class {} as new () => PythonCalls & {
  /** Returns the bytes of a copy of the object, for a WireReader. */
  copy(object: NativePythonHandle): Uint8Array;
};

export class RemotePython extends Operations {
  readonly connection: Connection;
  /** Set before any exception can be raised. */
  raise: Raise = () => new Error('an exception before the start');

  static {
    // An operation without a method sends its values in order, those of lists one by one, and returns the answer.
    for (const operation of OPERATIONS) {
      if (operation in this.prototype) continue;
      const ask = function (this: RemotePython, ...values: (ToPython | ToPython[])[]): FromPython | null {
        return this.#ask(operation, values.flat());
      };
      addMembers(this.prototype, { [operation]: ask });
    }
  }

  constructor(connection: Connection) {
    super();
    this.connection = connection;
  }

  override callAsync(
    callable: NativePythonHandle,
    ...values: ToPython[]
  ): Promise<[raised: boolean, outcome: FromPython]> {
    const writer = this.connection.begin('async');
    for (const value of [callable, ...values]) this.connection.write(writer, value);
    return this.connection.finishAsync();
  }

  override makeInt(value: number | bigint): NativePythonHandle {
    if (typeof value !== 'bigint' && !Number.isSafeInteger(value))
      throw new ArgumentError('an int needs a bigint or a whole number');
    return this.#ask('makeInt', [value]) as NativePythonHandle;
  }

  override makeFloat(value: number): NativePythonHandle {
    if (typeof value !== 'number') throw new ArgumentError('a float needs a number');
    return this.#ask('makeFloat', [value]) as NativePythonHandle;
  }

  override makeBytes(bytes: ArrayBufferView): NativePythonHandle {
    const writer = this.connection.begin('makeObject');
    writer.bytes(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return this.connection.finish<NativePythonHandle>(this.raise);
  }

  override makeFunction(function_: CallableFromPython, name: string, onlyTold = false): NativePythonHandle {
    const number = this.connection.keep(function_);
    return this.#ask('makeFunction', [number, name, onlyTold]) as NativePythonHandle;
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
    return this.connection.finish<NativePythonHandle>(this.raise, descriptors);
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
    return this.connection.finish(this.raise, [], use);
  }

  override release(object: NativePythonHandle): void {
    (object as unknown as RemoteHandle).release();
  }

  override closeCallbacks(): void {
    this.connection.close();
  }

  #ask(operation: Operation, values: readonly ToPython[]): FromPython | null {
    const writer = this.connection.begin(operation);
    for (const value of values) this.connection.write(writer, value);
    return this.connection.finish(this.raise);
  }
}
