/** The values that threads have: `cuda.threadIdx.x` and the like. Their objects throw outside kernels. Pure. */

import { ArgumentError } from '../../base/errors.ts';
import type { Place, Special } from '../program/program.ts';
import { scalar } from './numbers.ts';
import { noteDeviceName } from './suggestions.ts';
import type { Value } from './values.ts';

/** Three lengths or indices. */
export interface Dimensions {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

type Name = 'threadIdx' | 'blockIdx' | 'blockDim' | 'gridDim';

/** By the objects that stand for them. */
const dimensions = new Map<object, Name>();

function outside(name: string): never {
  throw new ArgumentError(`${name} has a value only inside a kernel: pass the function to cuda.kernel`);
}

function dimension(name: Name): Dimensions {
  const made = {
    get x(): number {
      return outside(`cuda.${name}.x`);
    },
    get y(): number {
      return outside(`cuda.${name}.y`);
    },
    get z(): number {
      return outside(`cuda.${name}.z`);
    }
  };
  dimensions.set(made, name);
  return Object.freeze(made);
}

/** Stands for `cuda.laneId`, which is a number in kernels only. */
const LANE = Object.freeze({});

/** The members of `cuda` that are values of a thread. */
export const specials = {
  /** The index of the thread in its block. */
  threadIdx: dimension('threadIdx'),
  /** The index of the block in the grid. */
  blockIdx: dimension('blockIdx'),
  /** The number of threads of a block, along each axis. */
  blockDim: dimension('blockDim'),
  /** The number of blocks of the grid, along each axis. */
  gridDim: dimension('gridDim'),
  /** The index of the thread in its warp, 0 to 31. A number only inside a kernel. */
  laneId: LANE as unknown as number,
  /** The number of threads of a warp: 32. */
  warpSize: 32
} as const;

for (const name of Object.keys(specials)) noteDeviceName(name);

/** Returns the value of `object.name` if that is one of a thread's values. */
export function specialOf(object: unknown, name: string, place: Place): Value | undefined {
  const known = dimensions.get(object as object);
  if (known === undefined || !['x', 'y', 'z'].includes(name)) return undefined;
  return scalar(special(`${known}.${name as 'x' | 'y' | 'z'}`, place));
}

export function special(name: Special, place: Place): Extract<Value, { kind: 'scalar' }>['expression'] {
  return { kind: 'special', name, type: 'i32', place };
}

/** Returns the value of an object that stands for a number of the thread. */
export function laneValue(object: unknown, place: Place): Value | undefined {
  return object === LANE ? scalar(special('laneId', place)) : undefined;
}
