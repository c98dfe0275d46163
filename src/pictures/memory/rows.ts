/** Rows of numbers for pages: what `src/pictures/memory/schema.ts` names, in its order. */

import type { Device } from '../../core/device.ts';
import {
  ALLOCATION_FIELDS,
  ALLOCATION_KINDS,
  FAILURE_FIELDS,
  SEGMENT_FIELDS,
  type AllocationField,
  type FailureField,
  type MemoryRows,
  type SegmentField
} from './schema.ts';
import { formatShape } from '../../layout/shape.ts';
import type { Allocation, LoggedFailure, LoggedSegment, Moment } from '../../recording/memory/records.ts';

const NONE = -1;

/** Pictures have milliseconds. */
const timeOf = (moment: Moment | null): number => (moment === null ? NONE : moment.time / 1000);

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
      madeAt: timeOf(made),
      gone: gone?.number ?? NONE,
      goneAt: timeOf(gone),
      stream: this.#text(stream?.label),
      cell: this.#text(allocation.cell),
      stack: this.#stack(allocation.stack),
      what: this.#text(array && `${array.dtype} ${formatShape(array.shape)}`),
      ...this.#ownerOf(allocation)
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
      at: timeOf(moment),
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

  /** Id, index of the owner in the texts, and whether that is a variable, of each. */
  names(alive: readonly Allocation[]): number[] {
    return alive.flatMap(allocation => {
      const { owner, named } = this.#ownerOf(allocation);
      return [allocation.id, owner, named];
    });
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

  #ownerOf(allocation: Allocation): { readonly owner: number; readonly named: number } {
    const { owner, gone } = allocation;
    const named = this.#isNamed(allocation) || (gone !== null && owner !== null);
    return { owner: this.#text(named ? owner : holderOf(allocation)), named: named ? 1 : 0 };
  }
}

/** What is known of who keeps memory that no variable does. */
function holderOf({ kind, gone, exported, storage }: Allocation): string {
  if (gone !== null) return 'no variable';
  if (exported) return 'no variable: used by another library';
  if (kind === 'borrowed') return 'external, no variable';
  if (storage === null) return 'no variable known';
  if (storage.deref() === undefined) return 'no variable: freed at the next collection';
  return 'no variable: held by an object or a function';
}
