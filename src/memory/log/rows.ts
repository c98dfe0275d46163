/** Rows of numbers for pages: what `src/description/memory-schema.ts` names, in its order. */

import type { Device } from '../../device.ts';
import {
  ALLOCATION_FIELDS,
  ALLOCATION_KINDS,
  FAILURE_FIELDS,
  HOLDINGS,
  SEGMENT_FIELDS,
  type AllocationField,
  type FailureField,
  type MemoryRows,
  type SegmentField
} from '../../description/memory-schema.ts';
import { formatShape } from '../../layout/shape.ts';
import type { Allocation, LoggedFailure, LoggedSegment } from './records.ts';

const NONE = -1;

export class RowPacker {
  readonly #texts = new Map<string, number>();
  readonly #allocations: number[] = [];
  readonly #segments: number[] = [];
  readonly #failures: number[] = [];
  readonly #indexOf: (device: Device) => number;
  readonly #isNamed: (allocation: Allocation) => boolean;
  readonly #frames: number;

  /** `frames`: how many of a stack are told. */
  constructor(
    indexOf: (device: Device) => number,
    isNamed: (allocation: Allocation) => boolean,
    frames: number
  ) {
    this.#indexOf = indexOf;
    this.#isNamed = isNamed;
    this.#frames = frames;
  }

  allocation(allocation: Allocation): void {
    const { made, gone, array, stream } = allocation;
    const row: Record<AllocationField, number> = {
      id: allocation.id,
      device: this.#indexOf(allocation.device),
      kind: ALLOCATION_KINDS.indexOf(allocation.kind),
      pointer: Number(allocation.pointer),
      bytes: allocation.bytes,
      requested: allocation.requested,
      made: made?.number ?? NONE,
      madeAt: made?.time ?? NONE,
      gone: gone?.number ?? NONE,
      goneAt: gone?.time ?? NONE,
      stream: this.#text(stream?.label),
      cell: this.#text(allocation.cell),
      stack: this.#stack(allocation.stack),
      what: this.#text(array && `${array.dtype} ${formatShape(array.shape)}`),
      owner: this.#text(allocation.owner),
      holding: HOLDINGS.indexOf(this.#holdingOf(allocation))
    };
    for (const field of ALLOCATION_FIELDS) this.#allocations.push(row[field]);
  }

  segment({ id, device, pointer, bytes, made, gone }: LoggedSegment): void {
    const row: Record<SegmentField, number> = {
      id,
      device: this.#indexOf(device),
      pointer: Number(pointer),
      bytes,
      made: made?.number ?? NONE,
      gone: gone?.number ?? NONE
    };
    for (const field of SEGMENT_FIELDS) this.#segments.push(row[field]);
  }

  failure(failure: LoggedFailure): void {
    const { free, pooled, largest, bytes, moment } = failure;
    const row: Record<FailureField, number> = {
      number: moment.number,
      device: this.#indexOf(failure.device),
      at: moment.time,
      bytes,
      free,
      pooled,
      largest,
      cell: this.#text(failure.cell),
      stack: this.#stack(failure.stack),
      reason: this.#text(failure.reason)
    };
    for (const field of FAILURE_FIELDS) this.#failures.push(row[field]);
  }

  /** Id, index in the texts and holding of each. */
  names(alive: readonly Allocation[]): number[] {
    return alive.flatMap(allocation => [
      allocation.id,
      this.#text(allocation.owner),
      HOLDINGS.indexOf(this.#holdingOf(allocation))
    ]);
  }

  rows(): MemoryRows {
    return {
      texts: [...this.#texts.keys()],
      allocations: this.#allocations,
      segments: this.#segments,
      failures: this.#failures
    };
  }

  #text(text: string | null | undefined): number {
    if (text === null || text === undefined) return NONE;
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, this.#texts.size);
    return this.#texts.size - 1;
  }

  #stack(frames: readonly string[]): number {
    return frames.length === 0 ? NONE : this.#text(frames.slice(0, this.#frames).join('\n'));
  }

  #holdingOf(allocation: Allocation): (typeof HOLDINGS)[number] {
    const { storage, exported } = allocation;
    if (this.#isNamed(allocation)) return 'variable';
    if (exported) return 'exported';
    if (storage === null) return 'unknown';
    return storage.deref() === undefined ? 'soon' : 'held';
  }
}
