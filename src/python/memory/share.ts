/** One memory manager for this library and for those of the Python in this process (`docs/memory-managers.md`). */

import { ArgumentError, MemoryManagerError } from '../../base/errors.ts';
import type { FromPython, NativePythonHandle } from '../../native/python-binding.ts';
import { native } from '../../native/load.ts';
import type { Interpreter } from '../interpreter/interpreter.ts';
import { pyObject } from '../interpreter/object.ts';
import { LibraryMemory } from './library-memory.ts';

/** Libraries that can be given a memory manager. */
export const MEMORY_LIBRARIES = ['numba', 'cupy', 'torch', 'rmm'] as const;
export type MemoryLibrary = (typeof MEMORY_LIBRARIES)[number];

/** What became of a library. */
export interface LibraryShare {
  readonly library: MemoryLibrary;
  /** `too-late`: it has allocated already, or has a manager that it keeps. `unusable`: it cannot be imported, or takes none. */
  readonly outcome: 'taken' | 'not-installed' | 'too-late' | 'unusable';
  readonly reason: string;
}

/** What libraries hold of the memory manager's, and what they got otherwise. */
export interface LibraryUsage {
  /** Allocations that libraries have not freed. */
  readonly held: number;
  /** Allocations of other threads that the driver gave, since the thread of JavaScript was waiting for Python. */
  readonly beside: { readonly count: number; readonly bytes: number };
}

let memory: LibraryMemory | undefined;

/** Has `stridelab.memory.link`, when it is imported, open the line to this library. */
export function offerMemory(python: Interpreter): void {
  const open = python.toPython(() => openMemory(python));
  python.native.setItem(python.native.module('stridelab_bridge'), 'open_memory', open);
}

/** What the line consists of, in the order of python/stridelab/memory/link.py. */
function openMemory(python: Interpreter): unknown[] {
  const collect = python.native.getAttribute(python.native.import('gc'), 'collect') as NativePythonHandle;
  const opened = (memory ??= new LibraryMemory(() => void python.native.call(collect)));
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

/** Functions that undo it, and say why that cannot be. */
type Undo = ReadonlyMap<MemoryLibrary, () => FromPython>;

/** What `shareMemoryManager` did; disposing it undoes what can be undone. */
export class SharedMemoryManager implements Disposable {
  readonly libraries: readonly LibraryShare[];
  readonly #undo: Undo;

  constructor(libraries: readonly LibraryShare[], undo: Undo) {
    this.libraries = libraries;
    this.#undo = undo;
  }

  get usage(): LibraryUsage {
    const { held, besideCount, besideBytes } = native().libraryMemory.counts();
    return { held, beside: { count: besideCount, bytes: besideBytes } };
  }

  /**
   * Gives libraries the allocators that they had before; what they hold stays theirs, and goes back when they free it. Says of
   * each that keeps ours why it does.
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

/** @throws ArgumentError for a library that is none of MEMORY_LIBRARIES, MemoryManagerError where this cannot be */
export function shareMemoryManager(
  python: Interpreter,
  libraries: readonly MemoryLibrary[] = MEMORY_LIBRARIES
): SharedMemoryManager {
  requireHere(python);
  const unknown = libraries.filter(name => !MEMORY_LIBRARIES.includes(name));
  if (unknown.length > 0)
    throw new ArgumentError(`${unknown.join(', ')}: a memory manager goes to ${MEMORY_LIBRARIES.join(', ')}`);
  offerMemory(python);
  const module = python.native.import('stridelab.memory.libraries');
  python.native.call(python.native.getAttribute(module, 'connect') as NativePythonHandle);
  const take = python.native.getAttribute(module, 'take') as NativePythonHandle;
  const undo = new Map<MemoryLibrary, () => FromPython>();
  const shares = libraries.map((library): LibraryShare => {
    const taken = python.native.call(take, library) as NativePythonHandle;
    const [outcome, reason, undoing] = [0, 1, 2].map(index => python.native.getItem(taken, index));
    if (typeof undoing === 'object') undo.set(library, () => python.native.call(undoing));
    return { library, outcome: outcome as LibraryShare['outcome'], reason: reason as string };
  });
  return new SharedMemoryManager(shares, undo);
}

/** @throws MemoryManagerError for a Python in another process */
export function requireHere(python: Interpreter): void {
  if (python.host.process === null) return;
  throw new MemoryManagerError(
    'memory managers serve the Python in this process: another process has its own, and arrays go there by `share`'
  );
}
