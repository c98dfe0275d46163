/** Producers of the CUDA Array Interface like other libraries': plain objects over our memory. */

import { native } from '../../../src/native/load.ts';
import type { CudaArrayInterface, NDArray } from './library.ts';

export const sim = { device: 'sim:0' } as const;
export const rec = { device: 'rec:0' } as const;

/** The descriptor of an array whose static type need not declare one. */
export function descriptorOf(array: NDArray): CudaArrayInterface {
  const descriptor = array.__cuda_array_interface__;
  if (descriptor === undefined) throw new Error(`${array.dtype.name} has no descriptor`);
  return descriptor;
}

export interface Foreign {
  readonly __cuda_array_interface__: Readonly<Record<string, unknown>>;
  /** Kept, because collecting an array in the middle of a test would add the driver calls of its release. */
  readonly array: NDArray;
}

/** An external array over the memory of one of ours, with some keys of its descriptor changed; undefined removes one. */
export function foreign(array: NDArray, changes: Readonly<Record<string, unknown>> = {}): Foreign {
  const descriptor: Record<string, unknown> = { ...descriptorOf(array), stream: null, ...changes };
  for (const key of Object.keys(descriptor)) if (descriptor[key] === undefined) delete descriptor[key];
  return { __cuda_array_interface__: descriptor, array };
}

/** Expects an error of a class and, for descriptors, one about a key. */
export function refusal(code: string, key?: string): Error {
  return expect.objectContaining(key === undefined ? { code } : { code, key }) as Error;
}

/** The names of the driver calls that `action` makes on the recording device, and the status of failed ones. */
export function callsOf(action: () => unknown): string[] {
  const { recording } = native();
  recording.clear();
  action();
  return recording.log().map(call => call.replace(/\(.*\)/, ''));
}

/** The ordering calls that `action` makes on the recording device: `record A`, `wait B`, `host`, with names for streams. */
export function ordersDuring(names: Readonly<Record<string, bigint>>, action: () => void): string[] {
  const { recording } = native();
  recording.clear();
  action();
  const nameOf = (handle: string): string => {
    const value = BigInt(handle);
    return Object.entries(names).find(([, known]) => known === value)?.[0] ?? handle;
  };
  return recording.log().flatMap(call => {
    const on = nameOf(/stream (\w+)/.exec(call)?.[1] ?? '0');
    if (call.startsWith('cuCtxRecordEvent(')) return ['record context'];
    if (call.startsWith('cuEventRecord(')) return [`record ${on}`];
    if (call.startsWith('cuStreamWaitEvent(')) return [`wait ${on}`];
    if (call.startsWith('cuStreamSynchronize(') || call.startsWith('cuEventSynchronize(')) return ['host'];
    if (/^(cuMemset|cuMemcpyHtoD|simulateWork)/.test(call)) return [`write ${on}`];
    return [];
  });
}
