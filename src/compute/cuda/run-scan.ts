/** Launches cumulative sums and products on a GPU, with several blocks for a line if there are few lines. */

import { dtypes } from '../../dtype/dtype.ts';
import { sizeOf } from '../../layout/shape.ts';
import { Storage } from '../../memory/storage.ts';
import type { ElementTypeName } from '../program/element-types.ts';
import type { CumulationRun } from '../program/runs.ts';
import { simplify, type Place } from '../program/space.ts';
import { requireAligned } from './alignment.ts';
import { dimensions } from './emit-places.ts';
import { launchGenerated } from './generated-kernel.ts';
import { BLOCK } from './reduce.ts';
import { emitScan, scanKey, tileOf, type ScanVariant } from './scan.ts';

/** The number of blocks that fills a large GPU several times over. */
const MANY_BLOCKS = 2048;
/** The longest line that a single thread takes although its elements are side by side. */
const SHORT = 32;
/** The least number of elements of a line that justifies another chunk for a thread, and of tiles for a block. */
const LEAST_ELEMENTS = 64;
const LEAST_TILES = 4;
/** Bytes that hold an accumulator of any kind. */
const CARRIED_BYTES = 16;

export function cumulate({ name, input, output, result, stream, axis }: CumulationRun): void {
  const from = input.dtype.name as ElementTypeName;
  requireAligned(input, from);
  requireAligned(output, result);
  const { shape, places } = simplify({
    shape: input.shape.toSpliced(axis, 1),
    places: [output, input].map(({ offset, strides }) => ({ offset, strides: strides.toSpliced(axis, 1) }))
  });
  const [to, source] = places as [Place, Place];
  const addresses = [
    input.storage.pointer + BigInt(source.offset),
    output.storage.pointer + BigInt(to.offset)
  ] as const;
  const [lines, length] = [sizeOf(shape), input.shape[axis]!];
  const [inStep, outStep] = [input.strides[axis]!, output.strides[axis]!];
  const [inSize, outSize] = [dtypes[from].itemsize, dtypes[result].itemsize];
  const beside = Math.min(Infinity, ...source.strides.map(Math.abs));
  const along = length <= SHORT || beside < Math.abs(inStep) ? 'threads' : 'lines';
  const width = along === 'lines' ? Math.max(1, 16 / Math.max(inSize, outSize)) : 1;
  const aligned = (at: 0 | 1, { strides }: Place, size: number): boolean =>
    addresses[at] % BigInt(width * size) === 0n && strides.every(stride => stride % (width * size) === 0);
  const packed =
    along === 'lines' &&
    inStep === inSize &&
    outStep === outSize &&
    aligned(0, source, inSize) &&
    aligned(1, to, outSize);
  const blocks = along === 'lines' ? lines : Math.ceil(lines / BLOCK);
  const unit = along === 'lines' ? tileOf({ width }) : 1;
  const least = along === 'lines' ? LEAST_TILES * unit : LEAST_ELEMENTS;
  const wanted = Math.max(1, Math.min(Math.floor(MANY_BLOCKS / blocks), Math.ceil(length / least)));
  const chunk = Math.max(1, Math.ceil(length / wanted / unit) * unit);
  const chunks = Math.ceil(length / chunk);
  const totals =
    chunks > 1 ? Storage.allocate(stream.device, lines * chunks * CARRIED_BYTES, 'device', stream) : null;
  const launch = (part: ScanVariant['part']): void => {
    const variant: ScanVariant = { name, from, to: result, rank: shape.length, along, width, packed, part };
    const kernel = {
      key: scanKey(variant),
      name: 'scan',
      emit: () => emitScan(variant),
      arguments: [
        ...addresses,
        totals?.pointer ?? 0n,
        lines,
        length,
        chunk,
        inStep,
        outStep,
        dimensions(shape.length, shape, source.strides, to.strides)
      ],
      grid: [along === 'lines' ? lines * chunks : blocks, along === 'lines' ? 1 : chunks, 1],
      block: BLOCK
    } as const;
    const carries = totals === null ? [] : [{ storage: totals }];
    if (part === 'totals') launchGenerated(stream, kernel, carries, [input]);
    else launchGenerated(stream, kernel, [output], [input, ...carries]);
  };
  try {
    if (chunks > 1) launch('totals');
    launch('scan');
  } finally {
    totals?.release();
  }
}
