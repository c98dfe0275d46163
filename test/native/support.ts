/** Shared by the tests of the native core: the addon, its simulated device and the form of its errors. */

import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { NativeErrorInfo } from '../../src/base/native-error.ts';
import type {
  NativeBinding,
  NativeDevice,
  NativeEvent,
  NativeStorage,
  NativeStream
} from '../../src/native/binding.ts';
import type { NativeKernel } from '../../src/native/compiler-binding.ts';

const require = createRequire(import.meta.url);

export const addonPath = require.resolve('#native');
export const native = require('#native') as NativeBinding;

/** Jest keeps one addon for all test files of a process, so each file starts with a known factory and no flag. */
native.setErrorFactory(info => Object.assign(new Error(info.message), { info }));
native.setInterruptFlag(null);

setFlagsFromString('--expose-gc');
/** Collects all garbage now. */
export const collect = runInNewContext('gc') as () => void;
native.setCollector(collect);

/** Releases objects that earlier tests dropped, so that counts of blocks and bytes are exact. */
export function settle(): void {
  native.recording.reset();
  native.devices('simulated')[0]?.synchronize();
  native.drainReleases(true);
}

/** Loads the addon again, in a new environment with separate classes, and without a factory or a flag. */
export function loadAgain(): NativeBinding {
  const module = { exports: {} as NativeBinding };
  process.dlopen(module, addonPath);
  return module.exports;
}

export function simulated(): NativeDevice {
  const [device] = native.devices('simulated');
  if (device === undefined) throw new Error('the simulated driver has no device');
  return device;
}

export function stream(options: { blocking?: boolean; priority?: number } = {}): NativeStream {
  return native.createStream(simulated(), { blocking: false, priority: 0, ...options });
}

export function block(bytes: number): NativeStorage {
  return native.allocate(simulated(), bytes, 'device');
}

export const record = (on: NativeStream, event: NativeEvent): void => native.keyed.record(on.key, event.key);
export const wait = (on: NativeStream, event: NativeEvent): void => native.keyed.wait(on.key, event.key);

/** Launches with the configuration that the kernel has; the storages' access is that of earlier launches, at first to read. */
export function launch(kernel: NativeKernel, on: NativeStream, ...storages: NativeStorage[]): number {
  for (const [index, { key }] of storages.entries()) kernel.operands[index] = key;
  return native.keyed.launch(kernel.key, on.key, storages.length);
}

/** An event recorded at the tail of `on`. */
export function mark(on: NativeStream): NativeEvent {
  const event = native.createEvent(simulated(), true);
  record(on, event);
  return event;
}

/** Microseconds of virtual time between two marks, exact to the nanosecond. */
export function microseconds(start: NativeEvent, end: NativeEvent): number {
  start.synchronize();
  end.synchronize();
  return Math.round(end.elapsedSince(start) * 1e6) / 1e3;
}

/** The error info that the addon passed for the error that `action` throws. */
export function errorOf(action: () => unknown): NativeErrorInfo {
  try {
    action();
  } catch (error) {
    return (error as { info: NativeErrorInfo }).info;
  }
  throw new Error('nothing was thrown');
}

/** The error info that the addon passed for the rejection of a promise. */
export async function rejectionOf(promise: Promise<unknown>): Promise<NativeErrorInfo> {
  try {
    await promise;
  } catch (error) {
    return (error as { info: NativeErrorInfo }).info;
  }
  throw new Error('nothing was rejected');
}
