/** Checks of a plugin, so that errors name the mistake where it is made (rules 178, 199, 214, 224). */

import { noteMemoryOn, type Device } from '../../core/device.ts';
import { MemoryManagerError } from '../../base/errors.ts';
import type { BaseCUDAMemoryManager, MemoryManagerClass } from './base.ts';
import { HOST_ONLY_CALLS, type HostOnlyCalls } from './host-only.ts';
import { noteManager } from './kept-memory.ts';
import type { MemoryPointer } from './pointer.ts';

const REQUIRED = [
  'memalloc',
  'memhostalloc',
  'mempin',
  'initialize',
  'getIpcHandle',
  'getMemoryInfo',
  'reset',
  'deferCleanup'
] as const;

/** Versions of the plugin interface that the library supports; 2 adds `memallocAsync`. */
const VERSIONS: readonly number[] = [1, 2];

/**
 * Checks a class without constructing it, which may need a device.
 * @throws MemoryManagerError naming the methods that are missing, or the version
 */
export function requireManagerClass(value: unknown): MemoryManagerClass {
  if (typeof value !== 'function' || typeof value.prototype !== 'object' || value.prototype === null)
    throw new MemoryManagerError(
      `expected the class of a memory manager, not ${describe(value)} (rule 200: registration)`
    );
  const prototype = value.prototype as Readonly<Record<string, unknown>>;
  const missing: string[] = REQUIRED.filter(name => typeof prototype[name] !== 'function');
  const version = interfaceVersionOf(value, prototype);
  if (version === undefined) missing.push('interfaceVersion');
  if (missing.length > 0)
    throw new MemoryManagerError(
      `memory manager ${value.name} lacks ${missing.join(', ')} (rule 178: required methods)`
    );
  if (!VERSIONS.includes(version as number))
    throw new MemoryManagerError(
      `memory manager ${value.name} was written for version ${String(version)} of the plugin interface, ` +
        `expected ${VERSIONS.join(' or ')} (rule 199: versions)`
    );
  return value as MemoryManagerClass;
}

function describe(value: unknown): string {
  if (value === null || typeof value !== 'object') return String(value);
  return `an instance of ${(value.constructor as { readonly name?: string } | undefined)?.name ?? 'nothing'}`;
}

/** Returns the static property, or the result of the method on an unconstructed object (rule 199); undefined if there is neither. */
function interfaceVersionOf(value: object, prototype: Readonly<Record<string, unknown>>): unknown {
  const fixed = (value as { readonly interfaceVersion?: unknown }).interfaceVersion;
  const stated = fixed ?? prototype['interfaceVersion'];
  if (typeof stated !== 'function') return stated;
  return (stated as () => unknown).call(fixed === undefined ? Object.create(prototype) : value);
}

/** Makes an instance that is ready to allocate. @throws MemoryManagerError if a subclass does not call `super` (rule 214) */
export function makeManager(managerClass: MemoryManagerClass, context: Device): BaseCUDAMemoryManager {
  noteMemoryOn(context);
  const manager = new managerClass(context);
  // Nothing is allocated yet, so all three may be called: a missing `super` fails now, instead of leaking later (rules 184, 185).
  callReset(manager);
  callInitialize(manager);
  callDeferCleanup(manager)[Symbol.dispose]();
  noteManager(manager);
  return manager;
}

export function callInitialize(manager: BaseCUDAMemoryManager): void {
  throughSuper(manager, 'initialize', () => manager.initialize());
}

export function callReset(manager: BaseCUDAMemoryManager): void {
  throughSuper(manager, 'reset', () => manager.reset());
}

export function callDeferCleanup(manager: BaseCUDAMemoryManager): Disposable {
  const scope = throughSuper(manager, 'deferCleanup', () => manager.deferCleanup());
  if (typeof scope?.[Symbol.dispose] === 'function') return scope;
  throw new MemoryManagerError(
    `deferCleanup() of ${manager.constructor.name} did not return a Disposable (rule 196: deferred frees)`
  );
}

function throughSuper<T>(manager: BaseCUDAMemoryManager, method: keyof HostOnlyCalls, call: () => T): T {
  const calls = (manager as { readonly [HOST_ONLY_CALLS]?: HostOnlyCalls })[HOST_ONLY_CALLS];
  const before = calls?.[method];
  const result = call();
  if (calls !== undefined && calls[method] === before)
    throw new MemoryManagerError(
      `${method}() of ${manager.constructor.name} did not call super.${method}() of HostOnlyCUDAMemoryManager (rule 214: super calls)`
    );
  return result;
}

/** Checks what a plugin returned for `bytes` bytes. @throws MemoryManagerError (rule 224) */
export function requireMemory(memory: MemoryPointer, bytes: number, manager: BaseCUDAMemoryManager): void {
  const { pointer, size } = memory ?? {};
  if (typeof pointer === 'bigint' && pointer > 0n && size >= bytes) return;
  throw new MemoryManagerError(
    `${manager.constructor.name} did not return a MemoryPointer to ${bytes} bytes: pointer ${String(pointer)}, size ${size}`
  );
}
