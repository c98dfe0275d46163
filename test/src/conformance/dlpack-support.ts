/** The C addon of test/addon, which uses only the library's header, and helpers for tests with it. */

import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';

import { buildAddon } from '../../addon/build.mjs';
import { native } from '../../../src/native/load.ts';
import type { NativeRecording } from '../../../src/native/observation-binding.ts';
import { devices, type Device, type DLPackCapsule, type NDArray } from './library.ts';

/** A tensor to produce; defaults: version 1.3, float32, host memory, no strides, no flags. */
export interface Produced {
  readonly versioned?: boolean;
  readonly external?: boolean;
  readonly shape?: readonly (number | bigint)[];
  /** Elements. */
  readonly strides?: readonly (number | bigint)[];
  readonly dtype?: readonly [code: number, bits: number, lanes: number];
  readonly device?: readonly [type: number, id: number];
  readonly bytes?: Uint8Array;
  readonly byteOffset?: number;
  readonly flags?: number;
  readonly major?: number;
  readonly minor?: number;
  readonly ndim?: number;
  readonly deleter?: boolean;
}

export interface Tensor {
  readonly shape: number[] | null;
  readonly strides: number[] | null;
  readonly ndim: number;
  readonly dtype: [number, number, number];
  readonly device: [number, number];
  readonly data: bigint;
  readonly byteOffset: number;
}

export interface Consumed extends Tensor {
  readonly version: [number, number] | null;
  readonly flags: number;
  readonly bytes?: ArrayBuffer;
}

export interface Struct {
  readonly size: number;
  readonly version: number;
  readonly shape: number[];
  readonly strides: number[];
  readonly typestr: string | null;
  readonly data: bigint;
  readonly readOnly: number;
  readonly dtype: [number, number, number];
  readonly device: [number, number];
  readonly stream: bigint;
  readonly event: bigint;
  readonly released: number;
}

type Class = typeof NDArray;

interface ExchangeAddon {
  produce(of: Produced): DLPackCapsule;
  deletions(): number;
  consume(capsule: object, bytes?: number): Consumed;
  release(onThread?: boolean): void;
  toArray(type: Class, of: Produced): NDArray;
  table(type: Class): { major: number; minor: number; size: number; prev: bigint; address: bigint };
  borrow(array: NDArray, times?: number): Tensor;
  negate(array: NDArray): void;
  allocate(type: Class, of: Produced): Tensor & { array: NDArray };
  workStream(type: Class, deviceType: number, id: number): bigint;
  describe(array: NDArray): Struct;
  lend(type: Class, of: object): NDArray;
  releases(): number;
}

export const addon = createRequire(import.meta.url)(buildAddon()) as ExchangeAddon;

export const sim = devices().find(device => device.simulated) as Device;

/** The calls that the recording driver received. */
export function recording(): NativeRecording {
  return native().recording;
}

/** Bytes of float32 values. */
export function floats(...values: number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(values).buffer);
}

/** The fields and contents of the addon's tensors: consumed and released. */
export function consume(capsule: object, bytes = 0): Consumed {
  const consumed = addon.consume(capsule, bytes);
  addon.release();
  return consumed;
}

/** Collects garbage and lets finalizers and releases run. */
export async function collect(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  const { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let round = 0; round < 4; round++) {
    gc();
    await setImmediate();
  }
}

/** The error that `action` throws. */
export function errorOf(action: () => unknown): Error & { code?: string } {
  try {
    action();
  } catch (error) {
    return error as Error & { code?: string };
  }
  throw new Error('nothing was thrown');
}

/** The number of deleter calls during `action`. */
export async function deletionsDuring(action: () => unknown): Promise<number> {
  const before = addon.deletions();
  await action();
  return addon.deletions() - before;
}
