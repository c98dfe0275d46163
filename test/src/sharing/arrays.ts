/** Arrays of 6 by 8 numbers from 0 on that tests share, in memory of each kind, and views of them. */

import type { NDArray } from '../../../src/array/array.ts';
import { arange, empty } from '../../../src/array/creation.ts';
import {
  BestFitPoolMemoryManager,
  DefaultCUDAMemoryManager,
  IpcPoolMemoryManager,
  usingMemoryManager,
  VirtualMemoryManager
} from '../../../src/memory/index.ts';
import { emptyShared } from '../../../src/sharing/index.ts';
import { simulated } from '../managers/plugins.ts';

export const on = { device: simulated } as const;

export function under(manager: Parameters<typeof usingMemoryManager>[0]): NDArray {
  using _ = usingMemoryManager(manager);
  // Neighbouring allocations, so that the array starts anywhere in its pool.
  using _before = empty(100, on);
  return arange(48, { ...on, dtype: 'float32' }).reshape(6, 8);
}

export function hosted(): NDArray {
  using numbers = arange(48, { ...on, dtype: 'float32' }).reshape(6, 8);
  return emptyShared([6, 8], { ...on, dtype: 'float32' }).copyFrom(numbers);
}

export const ways: readonly (readonly [name: string, way: string, make: () => NDArray])[] = [
  ['the default manager', 'legacy', () => under(DefaultCUDAMemoryManager)],
  ['the best-fit pool', 'legacy', () => under(BestFitPoolMemoryManager)],
  ['an exportable pool', 'pool', () => under(IpcPoolMemoryManager)],
  ['virtual memory', 'vmm', () => under(VirtualMemoryManager)],
  ['shared host memory', 'memfd', hosted]
];

export const views: readonly (readonly [name: string, view: (whole: NDArray) => NDArray])[] = [
  ['whole', whole => whole.slice()],
  ['a slice with an offset', whole => whole.slice('2:5', '3:7:2')],
  ['negative strides', whole => whole.slice('::-1', '::-3')],
  ['a transpose', whole => whole.T],
  ['one element', whole => whole.slice(5, 7)]
];
