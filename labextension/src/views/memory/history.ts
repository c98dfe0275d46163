/** The page's copy of a memory log: allocations, segments and failures, and what was alive after any event. */

import {
  ALLOCATION_FIELDS,
  decodeRows,
  FAILURE_FIELDS,
  SEGMENT_FIELDS,
  type AllocationField,
  type FailureField,
  type MemoryRows,
  type MemoryRowsAnswer,
  type SegmentField
} from '../../../../src/pictures/memory/schema.ts';

/** Fields stored as indexes into the texts; decoded rows hold the texts, or an empty string. */
const TEXTS = ['stream', 'cell', 'stack', 'what', 'owner', 'reason'] as const;
type TextField = (typeof TEXTS)[number];
type Row<Field extends string> = Record<Exclude<Field, TextField>, number> &
  Record<Extract<Field, TextField>, string>;

export type Allocation = Row<AllocationField>;
export type Segment = Row<SegmentField>;
export type Failure = Row<FailureField>;

/** Index in ALLOCATION_KINDS of borrowed memory, which no sum counts. */
export const BORROWED = 2;

/** Memory in use on a device after an event. */
export interface Point {
  readonly number: number;
  readonly time: number;
  readonly live: number;
  /** The allocation or failure of the event; a failure changes no sum. */
  readonly subject: Allocation | Failure;
}

export const isFailure = (subject: Allocation | Failure): subject is Failure => 'reason' in subject;

function decode<Field extends string>(
  fields: readonly Field[],
  numbers: ArrayLike<number>,
  texts: readonly string[]
): Row<Field>[] {
  return decodeRows<string>(fields, numbers).map(row => {
    const decoded = row as Record<string, number | string>;
    for (const field of TEXTS) if (field in row) decoded[field] = texts[row[field]!] ?? '';
    return decoded as Row<Field>;
  });
}

export const isAlive = ({ made, freed }: Segment | Allocation, after: number): boolean =>
  made <= after && (freed < 0 || freed > after);

/** Sums the bytes of the rows, without borrowed memory. */
export const sumOf = (rows: readonly Allocation[]): number =>
  rows.reduce((bytes, row) => bytes + (row.kind === BORROWED ? 0 : row.bytes), 0);

export class History {
  start = -1;
  /** Number of the next event, which the page has not received yet. */
  next = 0;
  #first = 0;
  readonly #allocations = new Map<number, Allocation>();
  readonly #segments = new Map<number, Segment>();
  readonly #failures = new Map<number, Failure>();
  readonly #points = new Map<number, readonly Point[]>();

  /** Merges a picture or an answer; with `whole`, entries that it lacks are dropped. */
  merge(
    { texts, allocations, segments, failures }: MemoryRows<ArrayLike<number>>,
    { start, whole, first, next }: Pick<MemoryRowsAnswer, 'start' | 'whole' | 'first' | 'next'>
  ): void {
    this.start = start;
    this.next = next;
    this.#first = first;
    this.#points.clear();
    // Drop what the kernel has dropped, or a page that is open for days would run out of memory.
    const take = <Row>(
      map: Map<number, Row>,
      rows: readonly Row[],
      idOf: (row: Row) => number,
      endOf: (row: Row) => number
    ): void => {
      if (whole) map.clear();
      for (const row of rows) map.set(idOf(row), row);
      for (const [id, row] of map) if (endOf(row) >= 0 && endOf(row) < first) map.delete(id);
    };
    const freedOf = ({ freed }: Segment | Allocation): number => freed;
    take(this.#allocations, decode(ALLOCATION_FIELDS, allocations, texts), ({ id }) => id, freedOf);
    take(this.#segments, decode(SEGMENT_FIELDS, segments, texts), ({ id }) => id, freedOf);
    const numberOf = ({ number }: Failure): number => number;
    take(this.#failures, decode(FAILURE_FIELDS, failures, texts), numberOf, numberOf);
  }

  /** Updates owners. `names` holds triples: id, index in the texts, named. */
  rename(names: readonly number[], texts: readonly string[]): void {
    for (let at = 0; at + 2 < names.length; at += 3) {
      const allocation = this.#allocations.get(names[at] as number);
      if (allocation === undefined) continue;
      allocation.owner = texts[names[at + 1] as number] ?? '';
      allocation.named = names[at + 2] as number;
    }
  }

  /** Events that changed a device's memory use, and its failures, oldest first. */
  points(device: number): readonly Point[] {
    const known = this.#points.get(device);
    if (known !== undefined) return known;
    const found = this.#pointsOf(device);
    this.#points.set(device, found);
    return found;
  }

  /** Bytes in use before the first of the points. */
  base(device: number): number {
    return sumOf(this.alive(device, this.#first - 1));
  }

  alive(device: number, after: number): Allocation[] {
    return [...this.#allocations.values()].filter(row => row.device === device && isAlive(row, after));
  }

  segments(device: number, after: number): Segment[] {
    return [...this.#segments.values()].filter(row => row.device === device && isAlive(row, after));
  }

  failures(device: number): Failure[] {
    return [...this.#failures.values()].filter(row => row.device === device);
  }

  #pointsOf(device: number): Point[] {
    const changes: Omit<Point, 'live'>[] = this.failures(device).map(subject => ({
      number: subject.number,
      time: subject.at,
      subject
    }));
    for (const subject of this.#allocations.values()) {
      if (subject.device !== device) continue;
      const { made, madeAt, freed, freedAt } = subject;
      if (made >= this.#first) changes.push({ number: made, time: madeAt, subject });
      if (freed >= this.#first) changes.push({ number: freed, time: freedAt, subject });
    }
    changes.sort((a, b) => a.number - b.number);
    let live = this.base(device);
    return changes.map(change => {
      const { subject, number } = change;
      if (!isFailure(subject) && subject.kind !== BORROWED)
        live += number === subject.made ? subject.bytes : -subject.bytes;
      return { ...change, live };
    });
  }
}
