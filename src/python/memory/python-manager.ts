/** Adapts a Python memory manager of NBEP 7 to this library's interface (rules 178 to 224). */

import type { Device, MemoryInfo } from '../../core/device.ts';
import { MemoryManagerError, OutOfMemoryError } from '../../base/errors.ts';
import {
  BaseCUDAMemoryManager,
  type HostAllocOptions,
  type HostMemory,
  type MemoryManagerClass
} from '../../memory/manager/base.ts';
import { MappedMemory, PinnedMemory } from '../../memory/manager/host-memory.ts';
import { IpcHandle } from '../../memory/manager/ipc-handle.ts';
import { withRetries } from '../../memory/manager/out-of-memory.ts';
import { ManagedMemory, MemoryPointer, type Allocation } from '../../memory/manager/pointer.ts';
import type { FromPython, NativePythonHandle, ToPython } from '../../native/python-binding.ts';
import { PythonError } from '../interpreter/errors.ts';
import type { Interpreter } from '../interpreter/interpreter.ts';
import { handleOf } from '../interpreter/object.ts';
import { requireHere } from './share.ts';

const MODULE = 'stridelab.memory.served_manager';

/** Makes a class for `setMemoryManager` from a Python class. @throws MemoryManagerError (rules 178, 199, 200), PythonError */
export function memoryManagerOf(python: Interpreter, managerClass: NativePythonHandle): MemoryManagerClass {
  requireHere(python);
  const examined = python.toJS(
    python.fromPython(python.native.call(helper(python, 'examine'), managerClass))
  );
  if (examined === undefined)
    throw new MemoryManagerError(
      `${python.repr(managerClass)} is no class: a manager is registered as a class (rule 200)`
    );
  const [name, missing, version] = examined as [string, string[], unknown];
  if (missing.length > 0)
    throw new MemoryManagerError(`memory manager ${name} of Python lacks ${missing.join(', ')} (rule 178)`);
  if (version !== 1)
    throw new MemoryManagerError(
      `memory manager ${name} of Python was written for version ${String(version)} of the plugin interface, which knows 1 (rule 199)`
    );
  const served = class extends PythonMemoryManager {
    constructor(context: Device) {
      super(context, python, managerClass);
    }
  };
  Object.defineProperty(served, 'name', { value: name });
  return served;
}

/** The helper's description of memory: its address, its size and the object that owns it. */
interface Described {
  readonly address: bigint;
  readonly size: number;
  /** Releases the object, whose finalizer frees the memory. */
  readonly free: () => void;
  readonly memory: NativePythonHandle;
  /** The device address of mapped host memory. */
  readonly device: bigint;
}

/** Calls an instance of the Python class on the JavaScript thread; errors are PythonError, or OutOfMemoryError with that as cause. */
abstract class PythonMemoryManager extends BaseCUDAMemoryManager {
  static readonly interfaceVersion: number = 1;
  readonly #python: Interpreter;
  readonly #manager: NativePythonHandle;
  readonly #owners = new WeakMap<object, NativePythonHandle>();

  constructor(context: Device, python: Interpreter, managerClass: NativePythonHandle) {
    super(context);
    this.#python = python;
    const made = python.native.call(helper(python, 'ServedManager'), managerClass, context.ordinal);
    this.#manager = made as NativePythonHandle;
  }

  override memalloc(size: number): MemoryPointer {
    if (size === 0) return new MemoryPointer(this.context, 0n, 0);
    return this.#pointer(MemoryPointer, this.#allocate(size, 'memalloc', size));
  }

  override memallocmanaged(size: number, attachGlobal = true): MemoryPointer {
    if (this.#python.native.call(this.#method('offers'), 'memallocmanaged') !== true)
      return super.memallocmanaged(size, attachGlobal);
    if (size === 0) return new ManagedMemory(this.context, 0n, 0);
    return this.#pointer(ManagedMemory, this.#allocate(size, 'memallocmanaged', size, attachGlobal));
  }

  override memhostalloc(size: number, options: HostAllocOptions = {}): HostMemory {
    const { mapped = false, portable = false, wc = false } = options;
    if (size === 0)
      return mapped ? new MappedMemory(this.context, 0n, 0) : new PinnedMemory(this.context, 0n, 0);
    return this.#host(this.#allocate(size, 'memhostalloc', size, mapped, portable, wc), mapped, null);
  }

  override mempin(owner: unknown, pointer: bigint, size: number, mapped: boolean): HostMemory {
    // A JavaScript owner is kept here, because Python cannot keep it.
    const described = this.#allocate(size, 'mempin', handleOf(owner), pointer, size, mapped);
    return this.#host(described, mapped, owner);
  }

  override initialize(): void {
    this.#python.native.call(this.#method('initialize'));
  }

  override reset(): void {
    this.#python.native.call(this.#method('reset'));
  }

  override getMemoryInfo(): MemoryInfo {
    const { native } = this.#python;
    try {
      const told = native.call(this.#method('get_memory_info')) as NativePythonHandle;
      return { free: Number(native.getItem(told, 0)), total: Number(native.getItem(told, 1)) };
    } catch (error) {
      if (!this.#is('is_untold', error)) throw error;
      throw new MemoryManagerError(
        `${this.constructor.name} does not report how much memory is free: implement getMemoryInfo()`,
        { cause: error }
      );
    }
  }

  override getIpcHandle(memory: MemoryPointer): IpcHandle {
    const { native } = this.#python;
    const object = this.#owners.get(memory);
    if (object === undefined)
      throw new MemoryManagerError(
        `${this.constructor.name} did not allocate this memory: it makes no handle of it`
      );
    const told = native.call(this.#method('get_ipc_handle'), object) as NativePythonHandle;
    const handle = native.bytesOf(native.getItem(told, 0) as NativePythonHandle);
    const { uuid, native: device } = this.context;
    const source = { pciBusId: device.pciBusId, uuid };
    return new IpcHandle(
      memory,
      handle,
      Number(native.getItem(told, 1)),
      source,
      Number(native.getItem(told, 2))
    );
  }

  override deferCleanup(): Disposable {
    const { native } = this.#python;
    let leave: NativePythonHandle | null = native.call(this.#method('defer_cleanup')) as NativePythonHandle;
    return {
      [Symbol.dispose]: () => {
        const left = leave;
        leave = null;
        if (left !== null) native.call(left);
      }
    };
  }

  #allocate(size: number, method: string, ...values: ToPython[]): Described {
    const { native } = this.#python;
    const attempt = (): NativePythonHandle => {
      try {
        return native.call(this.#method(method), ...values) as NativePythonHandle;
      } catch (error) {
        if (!this.#is('is_out_of_memory', error)) throw error;
        const { message } = error;
        throw new OutOfMemoryError(`${this.constructor.name}: ${message}`, size, method, { cause: error });
      }
    };
    const told = withRetries(this.context, size, () => undefined, attempt);
    const memory = native.getItem(told, 2) as NativePythonHandle;
    const described = {
      address: addressOf(native.getItem(told, 0)),
      size: Number(native.getItem(told, 1)),
      memory,
      free: () => native.release(memory),
      device: method === 'memhostalloc' || method === 'mempin' ? addressOf(native.getItem(told, 3)) : 0n
    };
    // Otherwise the tuple would keep the memory until JavaScript collects garbage.
    native.release(told);
    return described;
  }

  #pointer(
    Kind: typeof MemoryPointer | typeof ManagedMemory,
    { address, size, memory, free }: Described
  ): MemoryPointer {
    return this.#noted(memory, new Kind(this.context, address, size, null, free));
  }

  #host({ address, size, memory, free, device }: Described, mapped: boolean, owner: unknown): HostMemory {
    const kept = owner ?? null;
    return this.#noted(
      memory,
      mapped
        ? new MappedMemory(this.context, address, size, kept, free, device)
        : new PinnedMemory(this.context, address, size, kept, free)
    );
  }

  #noted<M extends Allocation>(object: NativePythonHandle, memory: M): M {
    this.#owners.set(memory, object);
    return memory;
  }

  #method(name: string): NativePythonHandle {
    return this.#python.native.getAttribute(this.#manager, name) as NativePythonHandle;
  }

  #is(question: 'is_out_of_memory' | 'is_untold', error: unknown): error is PythonError {
    if (!(error instanceof PythonError)) return false;
    const exception = handleOf(error.exception);
    return (
      exception !== undefined && this.#python.native.call(helper(this.#python, question), exception) === true
    );
  }
}

function addressOf(value: FromPython): bigint {
  return value === undefined ? 0n : BigInt(value as number | bigint);
}

function helper(python: Interpreter, name: string): NativePythonHandle {
  return python.native.getAttribute(python.native.import(MODULE), name) as NativePythonHandle;
}
