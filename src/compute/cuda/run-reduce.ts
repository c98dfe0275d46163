/** Launches reductions on a GPU, with several blocks for a row if few results are made of many elements. */

import { dtypes } from '../../dtype/dtype.ts';
import { sizeOf } from '../../layout/shape.ts';
import type { Stream } from '../../core/stream.ts';
import { Storage } from '../../memory/storage.ts';
import type { ElementTypeName } from '../program/element-types.ts';
import type { ReductionRun } from '../program/runs.ts';
import { simplify, type Place, type Space } from '../program/space.ts';
import { requireAligned } from './alignment.ts';
import { chunksFor, MANY_BLOCKS } from './division.ts';
import { dimensions } from './emit-places.ts';
import { launchGenerated } from './generated-kernel.ts';
import { BLOCK, emitReduce, reduceKey, UNROLL, type ReduceVariant } from './reduce.ts';

/** Bytes that hold an accumulator of any kind. */
const CARRIED_BYTES = 32;

interface Layout {
  readonly kept: Space;
  readonly reduced: Space;
}

/** Simplifies the axes; argmin and argmax keep the order of the reduced axes. */
function layoutFor(run: ReductionRun): Layout {
  const { outStrides, input, output } = run;
  const { keptShape, keptStrides, reducedShape, reducedStrides } = run.split;
  const kept = simplify({
    shape: keptShape,
    places: [
      { offset: input.offset, strides: keptStrides },
      { offset: output.offset, strides: outStrides }
    ]
  });
  const ordered = run.name === 'argmin' || run.name === 'argmax';
  const plain: Space = { shape: reducedShape, places: [{ offset: 0, strides: reducedStrides }] };
  return { kept, reduced: ordered ? joined(plain) : simplify(plain) };
}

/** Merges neighbouring axes without changing the order of elements. */
function joined({ shape, places }: Space): Space {
  const lengths: number[] = [];
  const strides: number[] = [];
  for (const [axis, length] of shape.entries()) {
    if (length === 1) continue;
    const stride = places[0]!.strides[axis]!;
    if (lengths.length > 0 && strides.at(-1) === stride * length) {
      lengths[lengths.length - 1] = lengths.at(-1)! * length;
      strides[strides.length - 1] = stride;
    } else {
      lengths.push(length);
      strides.push(stride);
    }
  }
  return { shape: lengths, places: [{ offset: 0, strides }] };
}

const leastStride = ({ shape, places }: Space): number =>
  Math.min(Infinity, ...shape.map((_, axis) => Math.abs(places[0]!.strides[axis]!)));

const counters = new WeakMap<Stream, Storage>();

/** Returns counters of finished blocks for the reductions of a stream. They are zero, because each reduction leaves them so. */
function countersOf(stream: Stream): Storage {
  const known = counters.get(stream);
  if (known !== undefined && !known.freed) return known;
  const made = Storage.allocate(stream.device, 4 * MANY_BLOCKS, 'device', stream);
  made.fill(0, 4, 0, MANY_BLOCKS, stream);
  // Work outside a graph must not rely on the fill that the graph captures.
  if (!stream.capturing) counters.set(stream, made);
  return made;
}

const powerOfTwo = (least: number): number => 2 ** Math.ceil(Math.log2(Math.max(least, 1)));

/** How a reduction is divided among threads. */
interface Division extends Pick<ReduceVariant, 'along' | 'width' | 'lanes'> {
  /** Blocks beside each other. */
  readonly blocks: number;
  /** Blocks that share rows. */
  readonly sharers: number;
}

function divisionFor({ kept, reduced }: Layout, start: bigint, itemsize: number): Division {
  const [rows, length] = [sizeOf(kept.shape), sizeOf(reduced.shape)];
  const along = leastStride(kept) < leastStride(reduced) ? 'columns' : 'rows';
  const [beside, others] = along === 'rows' ? [reduced, kept] : [kept, reduced];
  const dense = beside.shape.length === 1 && beside.places[0]!.strides[0] === itemsize;
  // The other axes must keep the alignment of the loads, and no load may reach into columns that do not exist.
  const aligned = start % 16n === 0n && others.places[0]!.strides.every(stride => stride % 16 === 0);
  const most = 16 / itemsize;
  const width = dense && aligned && (along === 'rows' || rows % most === 0) ? most : 1;
  const packs = Math.ceil((along === 'rows' ? length : rows) / width);
  if (along === 'rows') {
    // Few lanes for a short row, which have some loads in flight each; whole blocks, and several of them, for a long one.
    const lanes = packs > 256 ? BLOCK : Math.min(32, powerOfTwo(packs / 4));
    const blocks = Math.ceil(rows / (BLOCK / lanes));
    const sharers = lanes < BLOCK ? 1 : chunksFor(blocks, packs / (BLOCK * UNROLL));
    return { along, width, lanes, blocks, sharers };
  }
  const lanes = Math.min(BLOCK, powerOfTwo(packs));
  const blocks = Math.ceil(packs / lanes);
  return { along, width, lanes, blocks, sharers: chunksFor(blocks, length / ((BLOCK / lanes) * UNROLL)) };
}

export function reduce(run: ReductionRun): void {
  const { name, stream, input, output, result } = run;
  const from = input.dtype.name as ElementTypeName;
  requireAligned(input, from);
  requireAligned(output, result);
  const layout = layoutFor(run);
  const [keptIn, keptOut] = layout.kept.places as [Place, Place];
  const [reducedIn] = layout.reduced.places as [Place];
  const [kept, reduced] = [sizeOf(layout.kept.shape), sizeOf(layout.reduced.shape)];
  const source = input.storage.pointer + BigInt(keptIn.offset + reducedIn.offset);
  const { along, width, lanes, blocks, sharers } = divisionFor(layout, source, dtypes[from].itemsize);
  const [keptRank, reducedRank] = [layout.kept.shape.length, layout.reduced.shape.length];
  const split = sharers > 1;
  const isWide = Math.max(kept, reduced) >= 2 ** 32;
  const variant: ReduceVariant = {
    name,
    from,
    to: result,
    keptRank,
    reducedRank,
    along,
    width,
    lanes,
    split,
    isWide
  };
  const partials = split
    ? Storage.allocate(stream.device, kept * sharers * CARRIED_BYTES, 'device', stream)
    : null;
  const finished = split ? countersOf(stream) : null;
  const launch = {
    key: reduceKey(variant),
    name: 'reduce',
    emit: () => emitReduce(variant),
    arguments: [
      source,
      output.storage.pointer + BigInt(keptOut.offset),
      partials?.pointer ?? 0n,
      finished?.pointer ?? 0n,
      kept,
      reduced,
      [
        ...dimensions(keptRank, layout.kept.shape, ...layout.kept.places.map(({ strides }) => strides)),
        ...dimensions(reducedRank, layout.reduced.shape, reducedIn.strides)
      ]
    ],
    grid: [blocks, sharers, 1],
    block: BLOCK
  } as const;
  const writes =
    partials === null || finished === null
      ? [output]
      : [output, { storage: partials }, { storage: finished }];
  try {
    launchGenerated(stream, launch, writes, [input]);
  } finally {
    partials?.release();
  }
}
