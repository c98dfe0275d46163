/** Launches reductions on a GPU: in one pass, or in two with partials if few results are made of many elements. */

import { dtypes } from '../../dtype/dtype.ts';
import { sizeOf } from '../../layout/shape.ts';
import { Storage } from '../../memory/storage.ts';
import type { ElementTypeName } from '../program/element-types.ts';
import type { ReductionRun } from '../program/runs.ts';
import { simplify, type Place, type Space } from '../program/space.ts';
import { requireAligned } from './alignment.ts';
import { dimensions } from './emit-places.ts';
import { launchGenerated } from './generated-kernel.ts';
import { BLOCK, emitReduce, reduceKey, type ReduceVariant } from './reduce.ts';

/** The number of blocks that fills a large GPU several times over. */
const MANY_BLOCKS = 2048;
/** The least number of elements that justifies a block. */
const LEAST_CHUNK = 8192;
/** Bytes that hold an accumulator of any kind. */
const CARRIED_BYTES = 32;

interface Layout {
  readonly kept: Space;
  readonly reduced: Space;
}

/** Simplifies the axes; argmin and argmax keep the order of the reduced axes. */
function layoutFor(run: ReductionRun): Layout {
  const { keptShape, keptStrides, reducedShape, reducedStrides, outStrides, input, output } = run;
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

interface Pass {
  readonly variant: ReduceVariant;
  readonly kept: number;
  readonly reduced: number;
  readonly chunks: number;
  readonly chunk: number;
}

function launchPass(
  run: ReductionRun,
  { kept, reduced }: Layout,
  pass: Pass,
  input: Address,
  output: Address
): void {
  const { variant } = pass;
  const rows =
    variant.shape === 'block'
      ? pass.kept
      : Math.ceil(pass.kept / (variant.shape === 'warp' ? BLOCK / 32 : BLOCK * variant.width));
  const launch = {
    key: reduceKey(variant),
    name: 'reduce',
    emit: () => emitReduce(variant),
    arguments: [
      input.pointer,
      output.pointer,
      pass.kept,
      pass.reduced,
      pass.chunk,
      [
        ...dimensions(variant.keptRank, kept.shape, ...kept.places.map(({ strides }) => strides)),
        ...dimensions(variant.reducedRank, reduced.shape, ...reduced.places.map(({ strides }) => strides))
      ]
    ],
    grid: [rows, pass.chunks, 1],
    block: BLOCK
  } as const;
  launchGenerated(run.stream, launch, [output], [input]);
}

interface Address {
  readonly storage: Storage;
  readonly pointer: bigint;
}

const addressIn = ({ storage }: { readonly storage: Storage }, offset: number): Address => ({
  storage,
  pointer: storage.pointer + BigInt(offset)
});

export function reduce(run: ReductionRun): void {
  const layout = layoutFor(run);
  const [kept, reduced] = [sizeOf(layout.kept.shape), sizeOf(layout.reduced.shape)];
  const { stream, input, output, result } = run;
  const from = input.dtype.name as ElementTypeName;
  requireAligned(input, from);
  requireAligned(output, result);
  const itemsize = dtypes[from].itemsize;
  const [keptIn, keptOut] = layout.kept.places as [Place, Place];
  const [reducedIn] = layout.reduced.places as [Place];
  const dense = layout.reduced.shape.length === 1 && reducedIn.strides[0] === itemsize;
  const across = leastStride(layout.kept) < leastStride(layout.reduced);
  const source = addressIn(input, keptIn.offset + reducedIn.offset);
  const target = addressIn(output, keptOut.offset);
  const blocks = across ? Math.ceil(kept / BLOCK) : kept;
  const wanted = Math.min(
    Math.ceil(MANY_BLOCKS / Math.max(blocks, 1)),
    Math.ceil(reduced / (across ? 64 : LEAST_CHUNK))
  );
  const chunks = Math.max(1, Math.min(wanted, 65535));
  const shape = across ? 'columns' : chunks === 1 && reduced <= 1024 ? 'warp' : 'block';
  const columnsDense = layout.kept.shape.length === 1 && keptIn.strides[0] === itemsize && kept % 4 === 0;
  // The other axes must keep the alignment of the loads.
  const others = (across ? reducedIn : keptIn).strides;
  const aligned = source.pointer % 16n === 0n && others.every(stride => stride % 16 === 0);
  const width = aligned && (across ? columnsDense : dense) && itemsize <= 4 ? 4 : 1;
  const chunk = chunks === 1 ? Math.max(reduced, 1) : Math.ceil(reduced / chunks / 1024) * 1024;
  const first: ReduceVariant = {
    name: run.name,
    from,
    to: result,
    source: 'elements',
    target: 'result',
    keptRank: layout.kept.shape.length,
    reducedRank: layout.reduced.shape.length,
    width,
    shape
  };
  const used = Math.max(1, Math.ceil(reduced / chunk));
  const pass: Pass = { variant: first, kept, reduced, chunks: used, chunk };
  if (used === 1) return launchPass(run, layout, pass, source, target);
  const partials = Storage.allocate(stream.device, kept * used * CARRIED_BYTES, 'device', stream);
  const middle = addressIn({ storage: partials }, 0);
  try {
    launchPass(run, layout, { ...pass, variant: { ...first, target: 'partials' } }, source, middle);
    const rows = used <= 1024 && kept > 1 ? 'warp' : 'block';
    const second: ReduceVariant = { ...first, source: 'partials', width: 1, shape: rows };
    launchPass(run, layout, { variant: second, kept, reduced: used, chunks: 1, chunk: used }, middle, target);
  } finally {
    partials.release();
  }
}
