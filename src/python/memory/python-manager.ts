/** Adapts a Python memory manager of NBEP 7 to this library's interface (rules 178 to 224). */

import type { Device, MemoryInfo } from '../../core/device.ts';
import { MemoryManagerError, OutOfMemoryError } from '../../base/errors.ts';
import {
  BaseCUDAMemoryManager,
  type HostAllocOptions,
  type HostMemory,
  type MemoryManagerClass
} from '../../memory/manager/base.ts';
import { hostMemory } from '../../memory/manager/host-memory.ts';
import { IpcHandle } from '../../memory/manager/ipc-handle.ts';
import { withRetries } from '../../memory/manager/out-of-memory.ts';
import { ManagedMemory, MemoryPointer, type Allocation } from '../../memory/manager/pointer.ts';
import type { FromPython, PythonCalls, NativePythonHandle, ToPython } from '../../native/python-binding.ts';
import { PythonError } from '../interpreter/errors.ts';
import { PythonModule } from '../interpreter/helpers.ts';
import type { Interpreter } from '../interpreter/interpreter.ts';
import { handleOf } from '../interpreter/object.ts';
import { requireHere } from './share.ts';

type Helpers = PythonModule<'examine' | 'ServedManager' | 'is_out_of_memory' | 'is_untold'>;

/** Makes a class for `setMemoryManager` from a Python class. @throws MemoryManagerError (rules 178, 199, 200), PythonError */
export function memoryManagerOf(python: Interpreter, managerClass: NativePythonHandle): MemoryManagerClass {
  requireHere(python);
  const helpers: Helpers = PythonModule.imported(python.native, 'stridelab.memory.served_manager');
  const examined = python.toJS(python.fromPython(helpers.call('examine', managerClass)));
  if (examined === undefined)
    throw new MemoryManagerError(
      `expected the class of a memory manager, not ${python.repr(managerClass)} (rule 200: registration)`
    );
  const [name, missing, version] = examined as [string, string[], unknown];
  if (missing.length > 0)
    throw new MemoryManagerError(
      `Python memory manager ${name} lacks ${missing.join(', ')} (rule 178: required methods)`
    );
  if (version !== 1)
    throw new MemoryManagerError(
      `Python memory manager ${name} was written for version ${String(version)} of the plugin interface, expected 1 (rule 199: versions)`
    );
  const served = class extends PythonMemoryManager {
    constructor(context: Device) {
      super(context, python.native, helpers, managerClass);
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
  readonly #native: PythonCalls;
  readonly #helpers: Helpers;
  readonly #manager: NativePythonHandle;
  readonly #owners = new WeakMap<object, NativePythonHandle>();

  constructor(context: Device, native: PythonCalls, helpers: Helpers, managerClass: NativePythonHandle) {
    super(context);
    this.#native = native;
    this.#helpers = helpers;
    this.#manager = helpers.call('ServedManager', managerClass, context.ordinal) as NativePythonHandle;
  }

  override memalloc(size: number): MemoryPointer {
    if (size === 0) return new MemoryPointer(this.context, 0n, 0);
    return this.#pointer(MemoryPointer, this.#allocate(size, 'memalloc', size));
  }

  override memallocmanaged(size: number, attachGlobal = true): MemoryPointer {
    if (this.#call('offers', 'memallocmanaged') !== true) return super.memallocmanaged(size, attachGlobal);
    if (size === 0) return new ManagedMemory(this.context, 0n, 0);
    return this.#pointer(ManagedMemory, this.#allocate(size, 'memallocmanaged', size, attachGlobal));
  }

  override memhostalloc(size: number, options: HostAllocOptions = {}): HostMemory {
    const { mapped = false, portable = false, wc = false } = options;
    if (size === 0) return hostMemory(mapped, this.context, 0n, 0);
    return this.#host(this.#allocate(size, 'memhostalloc', size, mapped, portable, wc), mapped, null);
  }

  override mempin(owner: unknown, pointer: bigint, size: number, mapped: boolean): HostMemory {
    // A JavaScript owner is kept here, because Python cannot keep it.
    const described = this.#allocate(size, 'mempin', handleOf(owner), pointer, size, mapped);
    return this.#host(described, mapped, owner);
  }

  override initialize(): void {
    this.#call('initialize');
  }

  override reset(): void {
    this.#call('reset');
  }

  override getMemoryInfo(): MemoryInfo {
    try {
      const [free, total] = this.#items(this.#call('get_memory_info'), 2);
      return { free: Number(free), total: Number(total) };
    } catch (error) {
      if (!this.#is('is_untold', error)) throw error;
      throw new MemoryManagerError(
        `${this.constructor.name} does not report how much memory is free: implement get_memory_info()`,
        { cause: error }
      );
    }
  }

  override getIpcHandle(memory: MemoryPointer): IpcHandle {
    const object = this.#owners.get(memory);
    if (object === undefined)
      throw new MemoryManagerError(
        `${this.constructor.name} did not allocate this memory, so it cannot make a handle for it`
      );
    const [handle, size, offset] = this.#items(this.#call('get_ipc_handle', object), 3);
    const { uuid, native: device } = this.context;
    const bytes = this.#native.bytesOf(handle as NativePythonHandle);
    return new IpcHandle(memory, bytes, Number(size), { pciBusId: device.pciBusId, uuid }, Number(offset));
  }

  override deferCleanup(): Disposable {
    let leave = this.#call('defer_cleanup') as NativePythonHandle | null;
    return {
      [Symbol.dispose]: () => {
        const left = leave;
        leave = null;
        if (left !== null) this.#native.call(left);
      }
    };
  }

  #allocate(size: number, method: string, ...values: ToPython[]): Described {
    const attempt = (): NativePythonHandle => {
      try {
        return this.#call(method, ...values) as NativePythonHandle;
      } catch (error) {
        if (!this.#is('is_out_of_memory', error)) throw error;
        const { message } = error;
        throw new OutOfMemoryError(`${this.constructor.name}: ${message}`, size, method, { cause: error });
      }
    };
    const told = withRetries(this.context, size, attempt);
    const isHost = method === 'memhostalloc' || method === 'mempin';
    const [address, bytes, object, device] = this.#items(told, isHost ? 4 : 3);
    // Otherwise the tuple would keep the memory until JavaScript collects garbage.
    this.#native.release(told);
    const memory = object as NativePythonHandle;
    const free = (): void => this.#native.release(memory);
    return { address: addressOf(address), size: Number(bytes), memory, free, device: addressOf(device) };
  }

  #pointer(
    Kind: typeof MemoryPointer | typeof ManagedMemory,
    { address, size, memory, free }: Described
  ): MemoryPointer {
    return this.#noted(memory, new Kind(this.context, address, size, null, free));
  }

  #host({ address, size, memory, free, device }: Described, mapped: boolean, owner: unknown): HostMemory {
    return this.#noted(memory, hostMemory(mapped, this.context, address, size, owner ?? null, free, device));
  }

  #noted<M extends Allocation>(object: NativePythonHandle, memory: M): M {
    this.#owners.set(memory, object);
    return memory;
  }

  #call(method: string, ...values: ToPython[]): FromPython {
    const bound = this.#native.getAttribute(this.#manager, method) as NativePythonHandle;
    return this.#native.call(bound, ...values);
  }

  #items(tuple: FromPython, count: number): FromPython[] {
    return Array.from({ length: count }, (_, index) =>
      this.#native.getItem(tuple as NativePythonHandle, index)
    );
  }

  #is(question: 'is_out_of_memory' | 'is_untold', error: unknown): error is PythonError {
    if (!(error instanceof PythonError)) return false;
    const exception = handleOf(error.exception);
    return exception !== undefined && this.#helpers.call(question, exception) === true;
  }
}

function addressOf(value: FromPython): bigint {
  return value === undefined ? 0n : BigInt(value as number | bigint);
}
