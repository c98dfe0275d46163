/** Filters, sorts and groups arrays into the rows of the list. Pure. */

import type { ArrayEntry, StreamEntry } from '../../../src/pictures/arrays/schema.ts';
import { formatShape } from '../../../src/layout/shape-text.ts';
import type { Grouping } from './settings.ts';

export const COLUMNS = ['name', 'shape', 'dtype', 'device', 'size'] as const;
export type Column = (typeof COLUMNS)[number];

export interface Arrangement {
  readonly grouping: Grouping;
  readonly column: Column;
  readonly descending: boolean;
  /** Words that must all match. */
  readonly filter: string;
  readonly folded: ReadonlySet<string>;
}

export interface GroupRow {
  readonly kind: 'group';
  readonly key: string;
  readonly grouping: Grouping;
  /** The common property of the arrays: a dtype, a device, a stream, or the name of the memory's owner. */
  readonly label: string;
  readonly entries: readonly ArrayEntry[];
  /** Bytes of memory; shared memory is counted once. */
  readonly bytes: number;
  readonly open: boolean;
  /** The stream of a group by stream, if the kernel reported it. */
  readonly stream: StreamEntry | undefined;
}

export interface ArrayRow {
  readonly kind: 'array';
  readonly key: string;
  readonly entry: ArrayEntry;
  readonly level: 1 | 2;
}

export type Row = GroupRow | ArrayRow;

/** Returns the first name, which identifies a row. */
export function nameOf(entry: ArrayEntry): string {
  return entry.names[0] ?? '';
}

/** Sums the memory of arrays, counting shared blocks once. */
export function bytesOf(entries: Iterable<ArrayEntry>): number {
  const blocks = new Map<number, number>();
  for (const { block, blockBytes, state } of entries) if (state !== 'freed') blocks.set(block, blockBytes);
  return [...blocks.values()].reduce((sum, bytes) => sum + bytes, 0);
}

const { compare } = new Intl.Collator(undefined, { numeric: true });

const ORDERS: Readonly<Record<Column, (a: ArrayEntry, b: ArrayEntry) => number>> = {
  name: (a, b) => compare(nameOf(a), nameOf(b)),
  shape: (a, b) => a.shape.length - b.shape.length || compare(a.shape.join(), b.shape.join()),
  dtype: (a, b) => compare(a.dtype, b.dtype),
  device: (a, b) => compare(a.device, b.device),
  size: (a, b) => a.bytes - b.bytes
};

export function arrange(
  entries: readonly ArrayEntry[],
  streams: readonly StreamEntry[],
  { grouping, column, descending, filter, folded }: Arrangement
): Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = words.length === 0 ? [...entries] : entries.filter(entry => matches(entry, words));
  const order = ORDERS[column];
  // Lists are long and nearly sorted already, which the sort exploits.
  chosen.sort(order);
  if (descending) chosen.reverse();
  if (grouping === 'none') return chosen.map(entry => arrayRow(entry, 1));
  const groups = new Map<string, ArrayEntry[]>();
  for (const entry of chosen) {
    const key = keyOf(entry, grouping);
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [entry]);
    else members.push(entry);
  }
  const units = [...groups].map(([key, members]) => unitOf(key, members, grouping, streams, folded));
  const sign = descending ? -1 : 1;
  if (grouping === 'storage') units.sort((a, b) => sign * orderUnits(a, b, column));
  else units.sort((a, b) => compare(a.label, b.label));
  return units.flatMap(({ rows }) => rows);
}

/** A sort unit: a group with its heading, or an array that shares no memory. */
interface Unit {
  readonly label: string;
  readonly bytes: number;
  readonly entry: ArrayEntry;
  readonly rows: readonly Row[];
}

function unitOf(
  key: string,
  members: readonly ArrayEntry[],
  grouping: Grouping,
  streams: readonly StreamEntry[],
  folded: ReadonlySet<string>
): Unit {
  const entry = widestOf(members);
  if (grouping === 'storage' && members.length === 1)
    return { label: nameOf(entry), bytes: entry.bytes, entry, rows: [arrayRow(entry, 1)] };
  const open = !folded.has(key);
  const stream = grouping === 'stream' ? streams.find(({ id }) => id === entry.stream) : undefined;
  const label = labelOf(entry, grouping, stream);
  const bytes = bytesOf(members);
  const group: GroupRow = { kind: 'group', key, grouping, label, entries: members, bytes, open, stream };
  const rows = open ? [group, ...members.map(member => arrayRow(member, 2))] : [group];
  return { label, bytes, entry, rows };
}

function orderUnits(a: Unit, b: Unit, column: Column): number {
  if (column === 'size') return a.bytes - b.bytes;
  return ORDERS[column](a.entry, b.entry);
}

/** Finds the array that covers most of the memory; it represents the group. */
function widestOf(members: readonly ArrayEntry[]): ArrayEntry {
  return members.reduce((most, entry) => (entry.bytes > most.bytes ? entry : most));
}

function arrayRow(entry: ArrayEntry, level: 1 | 2): ArrayRow {
  return { kind: 'array', key: `array ${entry.id}`, entry, level };
}

function matches(entry: ArrayEntry, words: readonly string[]): boolean {
  const { names, dtype, shape, device, state, readOnly, origin, memory } = entry;
  const facts = [...names, dtype, formatShape(shape), device, state, memory, origin ?? ''];
  const text = `${facts.join(' ')}${readOnly ? ' read-only' : ''}`.toLowerCase();
  return words.every(word => text.includes(word));
}

function keyOf(entry: ArrayEntry, grouping: Grouping): string {
  // Freed arrays have no memory to share.
  if (grouping === 'storage') return entry.block === 0 ? `freed ${entry.id}` : `block ${entry.block}`;
  return `${grouping} ${grouping === 'dtype' ? entry.dtype : grouping === 'device' ? entry.device : entry.stream}`;
}

function labelOf(entry: ArrayEntry, grouping: Grouping, stream: StreamEntry | undefined): string {
  if (grouping === 'dtype') return entry.dtype;
  if (grouping === 'device') return entry.device;
  if (grouping !== 'stream') return nameOf(entry);
  return stream === undefined ? `stream #${entry.stream}` : `${stream.label}, ${stream.device}`;
}
