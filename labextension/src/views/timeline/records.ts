/** The page's records, stored as columns by number, and the rows of their bars. There is no object per record. */

import {
  NO_LANE,
  TRACE_COLUMNS,
  type TraceBatch,
  type TraceColumns,
  type TraceFacts,
  type TraceLane
} from '../../../../src/pictures/timeline/schema.ts';
import { viewSettings } from '../kit/settings.ts';
import { HOST_WAIT, LABEL, STREAM_WAIT } from './kinds.ts';
import { createRow, type Row } from './row.ts';

/** `work`: a stream's operations. `calls`: a thread's submissions and waits. `labels`: a thread's labels at one depth. */
export type RowKind = 'labels' | 'calls' | 'work';

export interface LaneRow {
  /** Stays the same when records are loaded anew. */
  readonly key: string;
  readonly kind: RowKind;
  readonly lane: number;
  readonly depth: number;
  /** Whether the row is on the axis of virtual time. */
  readonly virtual: boolean;
  readonly row: Row;
}

/**
 * One record. Its device times, and those of its submission, are NaN if it has none (yet). `lane` is the stream, undefined for
 * work of the host alone; `host` the thread; `waits` the awaited stream.
 */
export interface Entry extends TraceFacts, Readonly<Record<Exclude<keyof TraceColumns, Lanes>, number>> {
  readonly lane: TraceLane | undefined;
  readonly host: TraceLane | undefined;
  readonly waits: TraceLane | undefined;
}

type Lanes = 'lane' | 'host' | 'waits';

export type Records = ReturnType<typeof createRecords>;

const NAMES = Object.keys(TRACE_COLUMNS) as (keyof TraceColumns)[];

/** Stores up to `most` records; evicts a quarter of them when there are more. */
export function createRecords(most = viewSettings().timelineLength) {
  const columns = Object.fromEntries(NAMES.map(name => [name, [] as number[]])) as {
    readonly [Name in keyof TraceColumns]: number[];
  };
  const { start, duration, submitted, submitDuration, number, facts, lane, host } = columns;
  const slots = new Map<number, number>();
  const indices = new Map<string, number>();
  const rows = new Map<string, LaneRow>();
  const every = [...Object.values(columns)];

  const intern = <Item>(list: Item[], item: Item): number => {
    const key = JSON.stringify(item);
    const index = indices.get(key) ?? list.push(item) - 1;
    indices.set(key, index);
    return index;
  };
  const place = (slot: number, isCall: boolean): void => {
    const begin = (isCall ? submitted : start)[slot]!;
    if (Number.isNaN(begin)) return;
    const { kind, labels } = records.factsOf(slot);
    const isLabel = kind === LABEL;
    const rowKind = isLabel ? 'labels' : isCall ? 'calls' : 'work';
    const at = (rowKind === 'work' ? lane : host)[slot]!;
    const virtual = isLabel ? !isCall : kind !== HOST_WAIT && records.lanes[lane[slot]!]?.virtual === true;
    const depth = isLabel ? labels.length : 0;
    const key = `${rowKind} ${at} ${virtual} ${depth}`;
    let found = rows.get(key);
    if (found === undefined) {
      // By the lane itself: its index differs once records are loaded anew.
      const name = JSON.stringify([rowKind, records.lanes[at], virtual, depth]);
      found = { key: name, kind: rowKind, lane: at, depth, virtual, row: createRow() };
      rows.set(key, found);
    }
    const end = begin + (isCall ? submitDuration : duration)[slot]!;
    found.row.add(slot, begin, end, kind !== STREAM_WAIT);
  };
  /** Drops facts that no record refers to: labels with counters in them would fill a page that is open for days. */
  const forgetFacts = (): void => {
    const kept = new Map<number, number>();
    for (const [slot, index] of facts.entries()) {
      if (!kept.has(index)) kept.set(index, kept.size);
      facts[slot] = kept.get(index)!;
    }
    const all = records.facts.slice();
    records.facts.length = 0;
    indices.clear();
    for (const lane of records.lanes) indices.set(JSON.stringify(lane), indices.size);
    for (const index of kept.keys()) intern(records.facts, all[index]!);
    records.revision += 1;
  };
  const evict = (): void => {
    const gone = records.batch;
    for (const { row } of rows.values())
      row.empty(slot => (slot < gone && number[slot]! >= records.summed ? number[slot] : undefined));
    for (const own of number.slice(0, gone)) records.summed = Math.max(records.summed, own + 1);
    for (const column of [...every, records.kinds]) column.splice(0, gone);
    records.evicted += gone;
    forgetFacts();
    slots.clear();
    for (const [slot, own] of number.entries()) {
      slots.set(own, slot);
      place(slot, false);
      place(slot, true);
    }
  };

  const records = {
    columns,
    /** The kind of each record, copied from its facts. */
    kinds: [] as number[],
    lanes: [] as TraceLane[],
    facts: [] as TraceFacts[],
    rows,
    /** How many records are evicted together: large enough that records read again do not evict each other. */
    batch: most >> 2,
    /** Records evicted since the last clear. */
    evicted: 0,
    /** The number below which all records were evicted, or were read again. */
    summed: 0,
    /** Changes whenever an index of facts may have a new meaning. */
    revision: 0,
    slotOf: (own: number | undefined): number | undefined => slots.get(own!),
    factsOf: (slot: number): TraceFacts => records.facts[facts[slot]!]!,
    /** Gathers a record from the columns; for frames of thousands, read these. */
    entryAt(slot: number): Entry {
      const own = Object.fromEntries(NAMES.map(name => [name, columns[name][slot]!])) as Record<
        keyof TraceColumns,
        number
      >;
      const { lanes } = records;
      return {
        ...records.factsOf(slot),
        ...own,
        lane: lanes[own.lane],
        host: lanes[own.host],
        waits: lanes[own.waits]
      };
    },
    /** Adds new records, and the times of records that had none. */
    add(batch: TraceBatch, news: TraceColumns): void {
      const laneAt = batch.lanes.map(item => intern(records.lanes, item));
      let factsAt = batch.facts.map(item => intern(records.facts, item));
      for (let from = 0; from < batch.count; from += 1) {
        const known = slots.get(news.number[from]!);
        if (known === undefined) {
          if (number.length >= most) {
            evict();
            factsAt = batch.facts.map(item => intern(records.facts, item));
          }
          const slot = number.length;
          for (const name of NAMES) columns[name].push(news[name][from]!);
          for (const name of ['lane', 'host', 'waits'] as const)
            columns[name][slot] = laneAt[news[name][from]!] ?? NO_LANE;
          facts[slot] = factsAt[news.facts[from]!]!;
          records.kinds.push(records.factsOf(slot).kind);
          slots.set(number[slot]!, slot);
          place(slot, false);
          place(slot, true);
        } else if (Number.isNaN(start[known])) {
          const isNew = Number.isNaN(submitted[known]);
          for (const name of ['start', 'duration', 'submitted'] as const)
            columns[name][known] = news[name][from]!;
          place(known, false);
          if (isNew) place(known, true);
        }
      }
    },
    clear(): void {
      for (const list of [...every, records.kinds, records.lanes, records.facts]) list.length = 0;
      for (const map of [slots, indices, rows]) map.clear();
      records.evicted = 0;
      records.summed = 0;
      records.revision += 1;
    }
  };
  return records;
}
