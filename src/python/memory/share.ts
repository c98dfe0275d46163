/** Shares one memory manager between this library and those of the Python in this process (`docs/memory-managers.md`). */

import { ArgumentError, MemoryManagerError } from '../../base/errors.ts';
import type { FromPython, NativePythonHandle } from '../../native/python-binding.ts';
import { native } from '../../native/load.ts';
import type { Interpreter } from '../interpreter/interpreter.ts';
import { PythonModule } from '../interpreter/helpers.ts';
import { pyObject } from '../interpreter/object.ts';
import { LibraryMemory } from './library-memory.ts';

/** Libraries that can use this library's memory manager. */
export const MEMORY_LIBRARIES = ['numba', 'numba_cuda_mlir', 'cupy', 'torch', 'rmm'] as const;
/** A Python library that can use the memory manager of this process. */
export type MemoryLibrary = (typeof MEMORY_LIBRARIES)[number];

/** Whether a Python library uses the memory manager of this process. */
export interface LibraryShare {
  /** The library. */
  readonly library: MemoryLibrary;
  /**
   * `taken`: it does. `not-installed`: there is no such library. `too-late`: it has allocated already, or uses a custom manager.
   * `unusable`: it cannot be imported, or has no pluggable allocator.
   */
  readonly outcome: 'taken' | 'not-installed' | 'too-late' | 'unusable';
  /** An explanation of the outcome. */
  readonly reason: string;
}

/** Memory that Python libraries have allocated. */
export interface LibraryUsage {
  /** Allocations from the memory manager that libraries have not freed. */
  readonly held: number;
  /** Allocations that the driver served on other threads, while the JavaScript thread was waiting for Python. */
  readonly beside: { readonly count: number; readonly bytes: number };
}

let memory: LibraryMemory | undefined;

/** Makes `stridelab.memory.link` connect to this library when it is imported. */
export function offerMemory(python: Interpreter): void {
  const open = python.toPython(() => openMemory(python));
  python.native.setItem(python.native.module('stridelab_bridge'), 'open_memory', open);
}

/** Returns the parts of the connection, in the order of python/stridelab/memory/link.py. */
function openMemory(python: Interpreter): unknown[] {
  const collector = PythonModule.imported<'collect'>(python.native, 'gc');
  const opened = (memory ??= new LibraryMemory(() => void collector.call('collect')));
  const { allocate, free, noteUse } = native().libraryMemory.functions();
  return [
    ...[allocate, free, noteUse].map(handle => pyObject(python, handle)),
    (ordinal: number) => opened.memoryInfo(ordinal),
    (ordinal: number) => opened.deferCleanup(ordinal),
    (ordinal: number, pointer: number | bigint) => opened.sharingObstacle(ordinal, BigInt(pointer)),
    opened.devices.map((_, ordinal) => ordinal),
    opened.addon
  ];
}

/** Functions that restore an allocator, or return why that is impossible. */
type Undo = ReadonlyMap<MemoryLibrary, () => FromPython>;

/** The result of `python.shareMemoryManager`; disposing it restores the libraries' allocators where possible. */
export class SharedMemoryManager implements Disposable {
  /** The outcome for each library. */
  readonly libraries: readonly LibraryShare[];
  readonly #undo: Undo;

  constructor(libraries: readonly LibraryShare[], undo: Undo) {
    this.libraries = libraries;
    this.#undo = undo;
  }

  /** What the libraries have allocated so far. */
  get usage(): LibraryUsage {
    const { held, besideCount, besideBytes } = native().libraryMemory.counts();
    return { held, beside: { count: besideCount, bytes: besideBytes } };
  }

  /**
   * Restores the allocators that the libraries had before; memory in use is freed when they free it. Returns the libraries that cannot be
   * restored, each with the reason.
   */
  undo(): ReadonlyMap<MemoryLibrary, string> {
    const kept = new Map<MemoryLibrary, string>();
    for (const [library, undo] of this.#undo) {
      const reason = undo();
      if (typeof reason === 'string') kept.set(library, reason);
    }
    return kept;
  }

  [Symbol.dispose](): void {
    this.undo();
  }
}

/** Shares the memory manager. @throws ArgumentError for a library not in MEMORY_LIBRARIES, MemoryManagerError if this is impossible */
export function shareMemoryManager(
  python: Interpreter,
  libraries: readonly MemoryLibrary[] = MEMORY_LIBRARIES
): SharedMemoryManager {
  requireHere(python);
  const unknown = libraries.filter(name => !MEMORY_LIBRARIES.includes(name));
  if (unknown.length > 0)
    throw new ArgumentError(`unknown library ${unknown.join(', ')}: expected ${MEMORY_LIBRARIES.join(', ')}`);
  offerMemory(python);
  const module = PythonModule.imported<'connect' | 'take'>(python.native, 'stridelab.memory.libraries');
  module.call('connect');
  const undo = new Map<MemoryLibrary, () => FromPython>();
  const shares = libraries.map((library): LibraryShare => {
    const taken = module.call('take', library) as NativePythonHandle;
    const [outcome, reason, undoing] = [0, 1, 2].map(index => python.native.getItem(taken, index));
    if (typeof undoing === 'object') undo.set(library, () => python.native.call(undoing));
    return { library, outcome: outcome as LibraryShare['outcome'], reason: reason as string };
  });
  return new SharedMemoryManager(shares, undo);
}

/** Requires Python in this process. @throws MemoryManagerError otherwise */
export function requireHere(python: Interpreter): void {
  if (python.host.process === null) return;
  throw new MemoryManagerError(
    'memory managers can be shared only with Python in this process: share arrays with another process by `share`'
  );
}
