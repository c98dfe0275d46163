/** Provides memory from the manager in force to libraries of the Python in this process. */

import { devices, type Device } from '../../core/device.ts';
import { MemoryManagerError } from '../../base/errors.ts';
import { isOutOfMemory } from '../../memory/manager/out-of-memory.ts';
import { callDeferCleanup } from '../../memory/manager/checks.ts';
import { warnOfManager } from '../../memory/manager/kept-memory.ts';
import { currentManager } from '../../memory/registry.ts';
import { Storage } from '../../memory/storage.ts';
import type { MemoryRefusal } from '../../native/library-memory-binding.ts';
import { native } from '../../native/load.ts';
import { Stream } from '../../core/stream.ts';

/** Returns the devices that libraries address by number: GPUs, or simulated ones only if there is no GPU. */
export function libraryDevices(): Device[] {
  const all = devices();
  const gpus = all.filter(device => device.native.kind === 'cuda');
  return gpus.length > 0 ? gpus : all.filter(device => device.simulated);
}

/** Serves the process from the thread that created it until the program exits. */
export class LibraryMemory {
  readonly devices: readonly Device[] = libraryDevices();
  /** The path of the addon, with the functions that PyTorch calls. */
  readonly addon: string;
  readonly #held = new Map<bigint, Storage>();
  #warned = false;

  readonly #collectPython: () => void;

  /** `collectPython` runs Python's collector. @throws MemoryManagerError if another worker serves */
  constructor(collectPython: () => void) {
    this.#collectPython = collectPython;
    const { libraryMemory } = native();
    const opened = libraryMemory.open(
      this.devices.map(device => device.native),
      (ordinal, bytes, stream) => this.#serve(ordinal, bytes, stream),
      (pointer, elsewhere) => this.#freed(pointer, elsewhere)
    );
    if (!opened)
      throw new MemoryManagerError(
        'another worker of this process already provides memory to Python libraries: share the memory manager there (rule 223: threads)'
      );
    this.addon = libraryMemory.path();
    // Closes before the interpreter waits for its threads, which may wait for memory.
    process.prependOnceListener('exit', () => libraryMemory.close());
  }

  /** Returns free and total bytes; null if the manager does not report them. */
  memoryInfo(ordinal: number): readonly [free: number, total: number] | null {
    try {
      const { free, total } = currentManager(this.#device(ordinal)).getMemoryInfo();
      return [free, total];
    } catch (error) {
      if (error instanceof MemoryManagerError) return null;
      throw error;
    }
  }

  /** Postpones frees until the result is called (rules 196, 197). */
  deferCleanup(ordinal: number): () => void {
    const scope = callDeferCleanup(currentManager(this.#device(ordinal)));
    return () => scope[Symbol.dispose]();
  }

  /** Returns why the memory has no legacy IPC handle; null if it can have one (rule 194). */
  sharingObstacle(ordinal: number, pointer: bigint): string | null {
    const attributes = this.#device(ordinal).native.pointerAttributes(pointer);
    if (attributes === null) return `0x${pointer.toString(16)} is not a known device allocation`;
    if (attributes.legacyIpcCapable) return null;
    return (
      'this memory comes from a stream-ordered pool or a virtual mapping, which IPC handles cannot share: ' +
      'allocate it with the default or the best-fit manager (rule 194: the reason)'
    );
  }

  #serve(ordinal: number, bytes: number, handle: bigint | null): bigint | MemoryRefusal {
    try {
      this.#warnOnce();
      const device = this.#device(ordinal);
      const stream = handle === null ? undefined : Stream.fromHandle(handle, device);
      const storage = this.#allocate(device, bytes, stream);
      native().libraryMemory.keep(storage.native);
      const { pointer } = storage;
      this.#held.set(pointer, storage);
      return pointer;
    } catch (error) {
      return {
        message: error instanceof Error ? error.message : String(error),
        outOfMemory: isOutOfMemory(error)
      };
    }
  }

  /** Allocates memory. A library's arrays may be in cycles, which only Python's collector finds (rules 209, 219). */
  #allocate(device: Device, bytes: number, stream: Stream | undefined): Storage {
    const attempt = (): Storage => Storage.allocate(device, bytes, 'device', stream, false);
    try {
      return attempt();
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      this.#collectPython();
      return attempt();
    }
  }

  #freed(pointer: bigint, elsewhere: boolean): void {
    const storage = this.#held.get(pointer);
    if (storage === undefined) return;
    this.#held.delete(pointer);
    // Native code noted the work; the pool needs to know whether only one stream used the block.
    if (elsewhere && !storage.freed)
      for (const { stream, access, sequence } of storage.uses()) storage.noteUse(stream, access, sequence);
    storage.release();
  }

  #device(ordinal: number): Device {
    const device = this.devices[ordinal];
    if (device === undefined) throw new MemoryManagerError(`there is no device ${ordinal}`);
    return device;
  }

  #warnOnce(): void {
    if (this.#warned) return;
    const { besideCount, besideBytes } = native().libraryMemory.counts();
    if (besideCount === 0) return;
    this.#warned = true;
    warnOfManager(
      `${besideCount} allocations (${besideBytes} bytes) of other threads came from the driver instead of the memory manager, ` +
        `because the JavaScript thread was waiting for Python: call functions that start such threads with python.callAsync`
    );
  }
}
