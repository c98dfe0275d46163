/** Launches cumulative sums and products on a GPU, with several blocks for a line if there are few lines. */

import { dtypes } from '../../dtype/dtype.ts';
import { sizeOf } from '../../layout/shape.ts';
import { Storage } from '../../memory/storage.ts';
import type { Used } from '../../memory/submission.ts';
import type { ElementTypeName } from '../program/element-types.ts';
import type { CumulationRun, Operand } from '../program/runs.ts';
import { simplify, type Place } from '../program/space.ts';
import { requireAligned } from './alignment.ts';
import { chunksFor, MANY_BLOCKS } from './division.ts';
import { dimensions } from './emit-places.ts';
import { launchGenerated } from './generated-kernel.ts';
import { BLOCK } from './reduce.ts';
import { emitScan, scanKey, tileOf, type ScanVariant } from './scan.ts';

/** The longest line that a single thread takes although its elements are side by side. */
const SHORT = 32;
/** The least number of elements of a line that justifies another chunk for a thread, and of tiles for a block. */
const LEAST_ELEMENTS = 64;
const LEAST_TILES = 4;
/** Bytes that hold an accumulator of any kind. */
const CARRIED_BYTES = 16;

/** Lines of the input or of the output. */
interface Lines {
  readonly address: bigint;
  /** Bytes from one line to the next along each axis. */
  readonly strides: readonly number[];
  /** Bytes from one element of a line to the next. */
  readonly step: number;
  readonly itemsize: number;
}

/** How a scan is divided among threads. */
interface Division extends Pick<ScanVariant, 'along' | 'width' | 'packed'> {
  /** Blocks beside each other. */
  readonly blocks: number;
  /** Elements of a line that a block takes. */
  readonly chunk: number;
}

function divisionFor(lines: number, length: number, from: Lines, to: Lines): Division {
  const beside = Math.min(Infinity, ...from.strides.map(Math.abs));
  if (length <= SHORT || beside < Math.abs(from.step)) {
    const blocks = Math.ceil(lines / BLOCK);
    const chunk = Math.ceil(length / chunksFor(blocks, length / LEAST_ELEMENTS, 2 * MANY_BLOCKS));
    return { along: 'threads', width: 1, packed: false, blocks, chunk };
  }
  const width = 16 / Math.max(from.itemsize, to.itemsize);
  const isPacked = ({ address, strides, step, itemsize }: Lines): boolean =>
    step === itemsize &&
    address % BigInt(width * itemsize) === 0n &&
    strides.every(stride => stride % (width * itemsize) === 0);
  const tile = tileOf({ width });
  // More than for reductions: the blocks are few at a time, and should not leave a GPU idle at the end.
  const chunks = chunksFor(lines, length / (LEAST_TILES * tile), 4 * MANY_BLOCKS);
  const chunk = Math.ceil(length / chunks / tile) * tile;
  return { along: 'lines', width, packed: isPacked(from) && isPacked(to), blocks: lines, chunk };
}

export function cumulate({ name, input, output, result, stream, axis }: CumulationRun): void {
  const from = input.dtype.name as ElementTypeName;
  requireAligned(input, from);
  requireAligned(output, result);
  const { shape, places } = simplify({
    shape: input.shape.toSpliced(axis, 1),
    places: [input, output].map(({ offset, strides }) => ({ offset, strides: strides.toSpliced(axis, 1) }))
  });
  const linesOf = ({ storage, strides }: Operand, place: Place, type: ElementTypeName): Lines => ({
    address: storage.pointer + BigInt(place.offset),
    strides: place.strides,
    step: strides[axis]!,
    itemsize: dtypes[type].itemsize
  });
  const [source, target] = [linesOf(input, places[0]!, from), linesOf(output, places[1]!, result)];
  const [count, length] = [sizeOf(shape), input.shape[axis]!];
  const { blocks, chunk, ...division } = divisionFor(count, length, source, target);
  const chunks = Math.ceil(length / chunk);
  const bytes = count * chunks * CARRIED_BYTES;
  const totals = chunks > 1 ? Storage.allocate(stream.device, bytes, 'device', stream) : null;
  const launch = (part: ScanVariant['part'], writes: readonly Used[], reads: readonly Used[]): void => {
    const variant: ScanVariant = { name, from, to: result, rank: shape.length, ...division, part };
    const kernel = {
      key: scanKey(variant),
      name: 'scan',
      emit: () => emitScan(variant),
      arguments: [
        source.address,
        target.address,
        totals?.pointer ?? 0n,
        count,
        length,
        chunk,
        source.step,
        target.step,
        dimensions(shape.length, shape, source.strides, target.strides)
      ],
      grid: [blocks, chunks, 1],
      block: BLOCK
    } as const;
    launchGenerated(stream, kernel, writes, reads);
  };
  try {
    const carries = totals === null ? [] : [{ storage: totals }];
    if (chunks > 1) launch('totals', carries, [input]);
    launch('scan', [output], [input, ...carries]);
  } finally {
    totals?.release();
  }
}
