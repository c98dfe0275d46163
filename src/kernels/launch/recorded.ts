/** The record of a checked launch, for its picture. */

import { NDArray } from '../../array/array.ts';
import { toDevice, type Device } from '../../core/device.ts';
import { Stream } from '../../core/stream.ts';
import { dtypes } from '../../dtype/dtype.ts';
import { TypedValue } from '../../jit/typed-value.ts';
import type { LaunchShape } from '../../jit/launch-shape.ts';
import type { NativeKernelRecord } from '../../native/kernels-binding.ts';
import type { DISPLAY_METHOD, MimeBundle } from '../../notebook/host.ts';
import type { Program } from '../program/program.ts';
import type { FunctionSource } from '../source/function-source.ts';
import { runChecked, type KernelCheck } from './check.ts';
import { inspectLaunch, type KernelInspection } from './inspection.ts';
import { valueAt, type Specialization } from './specialization.ts';

/** So many blocks are recorded; only the first one if that is too much. */
const RECORDED_BLOCKS = [4, 1];
const RECORDED_WORDS = 1_000_000;
/** Bytes of a cache line: addresses matter modulo this. */
const LINE = 128;

/** What a recorded launch knows of an array argument. */
export interface RecordedArray {
  readonly shape: readonly number[];
  /** The address of its first element, modulo the bytes of a cache line. */
  readonly base: number;
}

interface LaunchFacts {
  readonly source: FunctionSource;
  readonly program: Program;
  readonly device: Device;
  readonly shape: LaunchShape;
  /** One for each parameter of the program; null for a number. */
  readonly arrays: readonly (RecordedArray | null)[];
  readonly check: KernelCheck;
  readonly record: NativeKernelRecord;
  /** The number of blocks that the record covers at most. */
  readonly blocks: number;
  /** Null on a simulated device. */
  readonly resources: Pick<KernelInspection, 'attributes' | 'occupancy'> | null;
}

/** A launch that ran with all checks on copies of its arrays, from `kernel.picture`: a notebook shows the memory that each line accesses. */
export class RecordedLaunch {
  /** Internal: what the picture shows. */
  readonly facts: LaunchFacts;
  /** Returns the picture of the launch in a notebook: Stridelab's MIME type, HTML and text. */
  declare readonly [DISPLAY_METHOD]: () => MimeBundle;

  constructor(facts: LaunchFacts) {
    this.facts = facts;
  }
}

/** Runs a launch with all checks on copies of its arrays, and records its first blocks. */
export function recordLaunch(
  source: FunctionSource,
  specialization: Specialization,
  stream: Stream,
  shape: LaunchShape,
  values: readonly unknown[]
): RecordedLaunch {
  const { device } = stream;
  const { lowered } = specialization;
  const onCopies = (blocks: number): ReturnType<typeof runChecked> => {
    using copies = new Copies(device.kind === 'simulated' ? device : toDevice('sim:0'));
    const options = { recordBlocks: blocks, recordWords: RECORDED_WORDS };
    const copied = values.map(value => copies.of(value));
    return runChecked(specialization, Stream.legacyDefault(copies.device), shape, copied, options);
  };
  let blocks = RECORDED_BLOCKS[0]!;
  let run = onCopies(blocks);
  if (!run.record.complete) run = onCopies((blocks = RECORDED_BLOCKS[1]!));
  return new RecordedLaunch({
    source,
    program: lowered.program,
    device,
    shape,
    arrays: lowered.paths.map(path => recordedArray(valueAt(values, path))),
    ...run,
    blocks,
    resources: device.kind === 'simulated' ? null : inspectLaunch(specialization, device, shape)
  });
}

function recordedArray(value: unknown): RecordedArray | null {
  if (!(value instanceof NDArray)) return null;
  return { shape: value.shape, base: Number(value.pointer % BigInt(LINE)) };
}

/** Copies of arrays on a simulated device. They keep strides, and share memory where the arrays do. */
class Copies {
  readonly device: Device;
  readonly #storages = new Map<NDArray['storage'], NDArray>();
  readonly #made: NDArray[] = [];

  constructor(device: Device) {
    this.device = device;
  }

  /** Returns an argument with copies in place of its arrays. */
  of(value: unknown): unknown {
    if (value instanceof NDArray) return this.#copy(value as NDArray);
    if (typeof value !== 'object' || value === null || value instanceof TypedValue) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, this.of(field)]));
  }

  #copy({ storage, dtype, shape, strides, offset, readOnly, stream }: NDArray): NDArray {
    let bytes = this.#storages.get(storage);
    if (bytes === undefined) {
      const view = { shape: [storage.bytes], strides: [1], offset: 0 };
      using all = new NDArray(storage.retain(), dtypes.uint8, view, stream);
      bytes = all.device === this.device ? all.copy() : all.toDevice(this.device);
      this.#storages.set(storage, bytes);
      this.#made.push(bytes);
    }
    const copy = new NDArray(
      bytes.storage.retain(),
      dtype,
      { shape, strides, offset },
      bytes.stream,
      readOnly
    );
    this.#made.push(copy);
    return copy;
  }

  [Symbol.dispose](): void {
    for (const array of this.#made) array.dispose();
  }
}
