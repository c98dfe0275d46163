/** Encodes log entries for pages as rows of numbers, with the fields and order of `src/pictures/memory/schema.ts`. */

import type { Device } from '../../core/device.ts';
import { ALLOCATION_FIELDS, ALLOCATION_KINDS, FAILURE_FIELDS, SEGMENT_FIELDS } from './schema.ts';
import type { MemoryRows } from './schema.ts';
import { formatShape } from '../../layout/shape.ts';
import type { Allocation, LoggedFailure, LoggedSegment, Moment } from '../../recording/memory/records.ts';

const NONE = -1;

/** Pictures use milliseconds. */
const timeOf = (moment: Moment | null): number => (moment === null ? NONE : moment.time / 1000);

export interface Contents {
  readonly allocations: readonly Allocation[];
  readonly segments: readonly LoggedSegment[];
  readonly failures: readonly LoggedFailure[];
}

export interface PackOptions {
  readonly indexOf: (device: Device) => number;
  /** The allocations whose owner is a variable. */
  readonly named: ReadonlySet<Allocation>;
  /** Number of frames kept per stack. */
  readonly frames: number;
  /** Allocations whose owners are sent in addition. */
  readonly alive?: readonly Allocation[];
}

/** Encodes the rows, and for each live allocation its id, the index of its owner in the texts, and whether that is a variable. */
export function packRows(
  contents: Contents,
  { indexOf, named: held, frames, alive = [] }: PackOptions
): { readonly rows: MemoryRows; readonly names: readonly number[] } {
  const indices = new Map<string, number>();
  const textOf = (text: string | null | undefined): number => {
    if (text === null || text === undefined) return NONE;
    const index = indices.get(text) ?? indices.size;
    indices.set(text, index);
    return index;
  };
  const stackOf = (stack: readonly string[]): number =>
    stack.length === 0 ? NONE : textOf(stack.slice(0, frames).join('\n'));
  const ownerOf = (allocation: Allocation): { readonly owner: number; readonly named: number } => {
    const { owner, freed } = allocation;
    const named = held.has(allocation) || (freed !== null && owner !== null);
    return { owner: textOf(named ? owner : holderOf(allocation)), named: named ? 1 : 0 };
  };
  const flat = <Field extends string>(
    fields: readonly Field[],
    rows: readonly Record<Field, number>[]
  ): number[] => rows.flatMap(row => fields.map(field => row[field]));

  const allocations = contents.allocations.map(allocation => {
    const { made, freed, array, stream } = allocation;
    return {
      id: allocation.id,
      device: indexOf(allocation.device),
      kind: ALLOCATION_KINDS.indexOf(allocation.kind),
      pointer: Number(allocation.pointer),
      bytes: allocation.bytes,
      requested: allocation.requested,
      made: made?.number ?? NONE,
      madeAt: timeOf(made),
      freed: freed?.number ?? NONE,
      freedAt: timeOf(freed),
      stream: textOf(stream?.label),
      cell: textOf(allocation.cell),
      stack: stackOf(allocation.stack),
      what: textOf(array && `${array.dtype} ${formatShape(array.shape)}`),
      ...ownerOf(allocation)
    };
  });
  const segments = contents.segments.map(({ id, device, pointer, bytes, made, freed }) => ({
    id,
    device: indexOf(device),
    pointer: Number(pointer),
    bytes,
    made: made?.number ?? NONE,
    freed: freed?.number ?? NONE
  }));
  const failures = contents.failures.map(
    ({ free, pooled, largest, bytes, moment, device, cell, stack, reason }) => ({
      number: moment.number,
      device: indexOf(device),
      at: timeOf(moment),
      bytes,
      free,
      pooled,
      largest,
      cell: textOf(cell),
      stack: stackOf(stack),
      reason: textOf(reason)
    })
  );
  const names = alive.flatMap(allocation => {
    const { owner, named } = ownerOf(allocation);
    return [allocation.id, owner, named];
  });
  const rows = {
    texts: [...indices.keys()],
    allocations: flat(ALLOCATION_FIELDS, allocations),
    segments: flat(SEGMENT_FIELDS, segments),
    failures: flat(FAILURE_FIELDS, failures)
  };
  return { rows, names };
}

/** Describes who keeps memory that no variable holds, if known. */
function holderOf({ kind, freed, exported, storage }: Allocation): string {
  if (freed !== null) return 'no variable';
  if (exported) return 'no variable: used by another library';
  if (kind === 'borrowed') return 'external, no variable';
  if (storage === null) return 'no variable known';
  if (storage.deref() === undefined) return 'no variable: freed at the next garbage collection';
  return 'no variable: held by an object or a function';
}
