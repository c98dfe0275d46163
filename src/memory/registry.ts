/** The memory manager in force: one class for all devices, with an instance for each (rules 200 to 204). */

import { toDevice, type Device, type DeviceLike } from '../core/device.ts';
import { MemoryManagerError } from '../base/errors.ts';
import { hazardMode } from '../core/hazards.ts';
import { warnOfManager } from './manager/kept-memory.ts';
import { memoryObserver } from './manager/observer.ts';
import { GuardingAdaptor } from './managers/guarding.ts';
import type { BaseCUDAMemoryManager, MemoryManagerClass } from './manager/base.ts';
import { callReset, makeManager, requireManagerClass } from './manager/checks.ts';
import { DefaultCUDAMemoryManager } from './managers/default.ts';
import { managerFromEnvironment, MANAGER_VARIABLE } from './environment.ts';

/** A manager and the number of its resets: a reset frees all earlier memory (rules 103, 186). */
export interface MemoryContext {
  readonly manager: BaseCUDAMemoryManager;
  epoch: number;
}

type Contexts = Map<Device, MemoryContext>;

const contextsOfClass = new WeakMap<MemoryManagerClass, Contexts>();
/** Classes of the open scopes, innermost last. */
const scopes: { readonly managerClass: MemoryManagerClass }[] = [];
let registered: MemoryManagerClass = DefaultCUDAMemoryManager;
/** Undefined until the variable is read. */
let fromEnvironment: MemoryManagerClass | null | undefined;
/** The contexts of the class in force, cached so that scopes and environment are not consulted. */
let active: Contexts | null = null;

function classInForce(): MemoryManagerClass {
  const scope = scopes.at(-1);
  if (scope !== undefined) return scope.managerClass;
  fromEnvironment ??= managerFromEnvironment();
  return fromEnvironment ?? registered;
}

function contextsInForce(): Contexts {
  if (active !== null) return active;
  const managerClass = classInForce();
  let contexts = contextsOfClass.get(managerClass);
  if (contexts === undefined) {
    contexts = new Map();
    contextsOfClass.set(managerClass, contexts);
  }
  active = contexts;
  return contexts;
}

/** Returns the manager in force for a device, made and initialized at the first call. @throws MemoryManagerError */
export function currentContext(device: Device): MemoryContext {
  const contexts = active ?? contextsInForce();
  const known = contexts.get(device);
  if (known !== undefined) return known;
  const managerClass = hazardMode() === null ? classInForce() : GuardingAdaptor.over(classInForce());
  const context = { manager: makeManager(managerClass, device), epoch: 0 };
  contexts.set(device, context);
  return context;
}

/** Returns the manager in force for a device, or before its first allocation its class. Makes no manager and calls no driver. */
export function managerInForce(device: Device): BaseCUDAMemoryManager | MemoryManagerClass {
  return contextsInForce().get(device)?.manager ?? classInForce();
}

/** Returns the memory manager in force for a device. @throws MemoryManagerError if the plugin cannot be loaded or is broken */
export function currentManager(device?: DeviceLike): BaseCUDAMemoryManager {
  return currentContext(toDevice(device)).manager;
}

/**
 * Sets the memory manager class for all devices, before their first allocation. If `STRIDELAB_CUDA_MEMORY_MANAGER` is set, this warns and
 * does nothing (rule 202: the environment variable wins). Does not touch the driver (rule 204).
 * @throws MemoryManagerError for a class that lacks methods or has another version (rules 178, 199), and after the first allocation
 * (rule 201); `usingMemoryManager` changes the manager temporarily
 */
export function setMemoryManager(managerClass: MemoryManagerClass): void {
  const checked = requireManagerClass(managerClass);
  const variable = process.env[MANAGER_VARIABLE]?.trim();
  if (variable !== undefined && variable !== '') {
    warnOfManager(
      `setMemoryManager(${checked.name}) is ignored: ${MANAGER_VARIABLE}=${variable} selects the manager (rule 202: precedence)`
    );
    return;
  }
  if (checked === registered) return;
  if ((contextsOfClass.get(registered)?.size ?? 0) > 0)
    throw new MemoryManagerError(
      `${registered.name} has allocated memory already, and cannot be replaced by ${checked.name}: call setMemoryManager before ` +
        `the first array is made, or usingMemoryManager for a part of the program (rule 201: before the first allocation)`
    );
  registered = checked;
  active = null;
}

/**
 * Uses a memory manager class for the whole process until the result is disposed; calls nest. Memory stays with the manager that
 * allocated it, and a later call with the class reuses its instances. Takes precedence over the environment variable.
 * @throws MemoryManagerError as `setMemoryManager` does for the class
 */
export function usingMemoryManager(managerClass: MemoryManagerClass): Disposable {
  const scope = { managerClass: requireManagerClass(managerClass) };
  scopes.push(scope);
  active = null;
  return {
    [Symbol.dispose]: () => {
      const at = scopes.indexOf(scope);
      if (at < 0) return;
      scopes.splice(at, 1);
      active = null;
    }
  };
}

/**
 * Frees all memory that the manager in force allocated on a device, after its work is done. Its arrays then throw FreedError when used;
 * disposing them does nothing (rule 186: late finalizers are silent).
 */
export function resetMemory(device?: DeviceLike): void {
  const target = toDevice(device);
  const context = currentContext(target);
  target.synchronize();
  context.epoch++;
  memoryObserver.current?.reset(context.manager);
  callReset(context.manager);
}
