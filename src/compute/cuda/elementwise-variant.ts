/** Chooses how a kernel for an elementwise program visits its operands. Pure. */

import { dtypes } from '../../dtype/dtype.ts';
import { sizeOf } from '../../layout/shape.ts';
import type { ElementTypeName } from '../program/element-types.ts';
import { registerType, type Program } from '../program/program.ts';
import type { Place, Space } from '../program/space.ts';

/** Threads per block. */
export const BLOCK = 256;

/** Packs that a thread of a strided kernel takes if they are single elements, so that several loads are in flight. */
const TURNS = 4;
/** Bytes that a thread loads or stores at once. */
const VECTOR_BYTES = 16;

/** The shared memory that every GPU grants a block. */
const SHARED_BYTES = 48 * 1024;
/** Shorter axes are not worth a tile. */
const SHORTEST = 16;

/**
 * How an operand is indexed: contiguously, at least along the last axis; always the one element; with its strides; or with its strides,
 * but loaded along the last axis but one, where its elements are adjacent.
 */
export type Reach = 'dense' | 'uniform' | 'strided' | 'crosswise';

/** How threads visit the elements: as one row; one by one or in packs along the last axis; or in tiles of the last two axes. */
export type Traversal = 'flat' | 'strided' | 'tiled';

export interface ElementwiseVariant {
  readonly reaches: readonly Reach[];
  /** Axes of the space; 1 if no operand is strided. */
  readonly rank: number;
  /** True for 64-bit index arithmetic. */
  readonly wide: boolean;
  /** Elements of the last axis that a thread loads together from dense operands: a pack. */
  readonly width: number;
}

export function traversalOf({ reaches, rank }: ElementwiseVariant): Traversal {
  if (reaches.includes('crosswise')) return 'tiled';
  return rank > 1 || reaches.includes('strided') ? 'strided' : 'flat';
}

const typesOf = (program: Program): ElementTypeName[] => [
  ...program.outputs.map(register => registerType(program, register)),
  ...program.inputs
];

/** Returns the rows and columns of a tile: a row of any operand has at least 64 bytes. */
export function tileSide(program: Program): number {
  return typesOf(program).every(type => dtypes[type].itemsize >= 4) ? 32 : 64;
}

/** Returns how many packs, or elements of a tile, a thread computes. */
export function turnsOf(variant: ElementwiseVariant, program: Program): number {
  const traversal = traversalOf(variant);
  if (traversal === 'tiled') return tileSide(program) ** 2 / BLOCK;
  return traversal === 'strided' && variant.width === 1 ? TURNS : 1;
}

/** Returns the number of blocks that compute a chosen space. */
export function blocksFor(program: Program, { variant, space }: Choice): number {
  const traversal = traversalOf(variant);
  if (traversal !== 'tiled') {
    const elements = BLOCK * turnsOf(variant, program) * (traversal === 'flat' ? variant.width : 1);
    return Math.ceil(sizeOf(space.shape) / elements);
  }
  const side = tileSide(program);
  const tiles = space.shape.map((length, axis) =>
    axis < variant.rank - 2 ? length : Math.ceil(length / side)
  );
  return sizeOf(tiles);
}

export function variantKey({ reaches, rank, wide, width }: ElementwiseVariant): string {
  return `${reaches.map(reach => reach[0]).join('')}${rank}${wide ? 'w' : 'n'}${width}`;
}

/** A variant, and the space whose axes its kernel visits. */
interface Choice {
  readonly variant: ElementwiseVariant;
  readonly space: Space;
}

/** Chooses tiles if inputs are contiguous along another axis than the outputs, and moves that axis next to the last; null if not. */
function tiledFor(program: Program, space: Space, itemsizes: readonly number[]): Choice | null {
  const { shape, places } = space;
  const last = shape.length - 1;
  const isOutput = (which: number): boolean => which < program.outputs.length;
  const fast = places.map(({ strides }, which) => {
    const adjacent = strides.map(stride => Math.abs(stride) === itemsizes[which]);
    return strides[last] === 0 || adjacent[last] ? last : adjacent.indexOf(true);
  });
  const axis = fast.find((at, which) => !isOutput(which) && at >= 0 && at !== last);
  const suits = fast.every((at, which) => !isOutput(which) || at === last);
  if (axis === undefined || !suits || shape[axis]! < SHORTEST || shape[last]! < SHORTEST) return null;
  const move = (list: readonly number[]): number[] =>
    list.toSpliced(axis, 1).toSpliced(last - 1, 0, list[axis]!);
  const side = tileSide(program);
  let left = SHARED_BYTES;
  const reaches = places.map(({ strides }, which): Reach => {
    if (strides.every(stride => stride === 0)) return 'uniform';
    const bytes = side * (side + 1) * itemsizes[which]!;
    if (isOutput(which) || fast[which] !== axis || bytes > left) return 'strided';
    left -= bytes;
    return 'crosswise';
  });
  return {
    variant: { reaches, rank: shape.length, wide: isWide(space), width: 1 },
    space: {
      shape: move(shape),
      places: places.map(({ offset, strides }) => ({ offset, strides: move(strides) }))
    }
  };
}

/** Chooses the variant of a program for a simplified space and the addresses of its operands, outputs first. */
export function variantFor(
  program: Program,
  space: Space,
  itemsizes: readonly number[],
  addresses: readonly bigint[]
): Choice {
  const tiled = tiledFor(program, space, itemsizes);
  if (tiled !== null) return tiled;
  const { shape, places } = space;
  const last = shape.length - 1;
  const stepOf = (which: number): number => places[which]!.strides[last] ?? 0;
  const isUniform = places.map(({ strides }) => strides.every(stride => stride === 0));
  const isDense = places.map((_, which) => stepOf(which) === itemsizes[which]);
  const flat = last <= 0 && isDense.every((dense, which) => dense || isUniform[which]);
  // Whether the operands allow packs: others than the dense ones give one value to a whole pack.
  const packs = isDense.every(
    (dense, which) => dense || (stepOf(which) === 0 && which >= program.outputs.length)
  );
  const allows = (width: number): boolean =>
    isDense.every((dense, which) => {
      const bytes = width * itemsizes[which]!;
      if (!dense) return true;
      const outer = places[which]!.strides.slice(0, last);
      return (
        bytes <= VECTOR_BYTES &&
        addresses[which]! % BigInt(bytes) === 0n &&
        outer.every(stride => stride % bytes === 0)
      );
    });
  let width = flat || packs ? mostPerPack(program) : 1;
  while (width > 1 && !(allows(width) && (flat || shape[last]! % width === 0))) width /= 2;
  const reaches = isDense.map((dense, which): Reach => {
    if (isUniform[which]) return 'uniform';
    return dense && (flat || width > 1) ? 'dense' : 'strided';
  });
  const variant = { reaches, rank: flat ? 1 : shape.length, wide: isWide(space), width };
  return { variant, space: traversalOf(variant) === 'flat' ? space : inPacks(space, width) };
}

/** Returns the most elements that a thread computes from its packs: fewer for long code, which is repeated for each element. */
function mostPerPack(program: Program): number {
  const types = typesOf(program);
  const isLong = program.instructions.length > 4 || types.some(type => type.startsWith('float8'));
  return isLong ? 4 : VECTOR_BYTES;
}

/** Whether 32-bit numbers are too small for the indices and byte offsets of a space. */
function isWide({ shape, places }: Space): boolean {
  const extent = ({ strides }: Place): number =>
    shape.reduce((sum, length, axis) => sum + (length - 1) * Math.abs(strides[axis]!), 0);
  return Math.max(sizeOf(shape), ...places.map(extent)) >= 2 ** 31 - BLOCK * 64;
}

/** Describes the last axis of a space in packs. */
function inPacks({ shape, places }: Space, width: number): Space {
  const last = shape.length - 1;
  return {
    shape: shape.with(last, shape[last]! / width),
    places: places.map(({ offset, strides }) => ({
      offset,
      strides: strides.with(last, strides[last]! * width)
    }))
  };
}
