/** Rows of the timeline and their positions: the host's first, then each device's streams. */

import type { LaneRow, Records } from './records.ts';
import { __ } from '../kit/phrases.ts';

/** CSS pixels. */
export const AXIS = 24;
export const GUTTER = 132;
const HEAD = 21;
const HEIGHTS = { labels: 18, calls: 24, work: 28 } as const;

export interface LaidRow extends LaneRow {
  readonly title: string;
  /** Empty for the host. */
  readonly device: string;
  /** Heading above the first row of a host or device; empty for other rows. */
  readonly head: string;
  /** Top of the row, below its heading. */
  readonly y: number;
  readonly height: number;
}

export interface Layout {
  readonly rows: readonly LaidRow[];
  readonly height: number;
}

const ORDER = { labels: 0, calls: 1, work: 2 } as const;

/** Lays out the rows of one of the two time axes. */
export function layOut(records: Records, virtual: boolean): Layout {
  const { lanes } = records;
  const deviceOf = ({ lane }: LaneRow): string => lanes[lane]?.device ?? '';
  // Stream 0 is the shared stream of transfers.
  const idOf = ({ kind, lane }: LaneRow): number => lanes[lane]?.id || (kind === 'work' ? Infinity : 0);
  const shown = [...records.rows.values()]
    .filter(row => row.virtual === virtual)
    .sort(
      (a, b) =>
        deviceOf(a).localeCompare(deviceOf(b)) ||
        idOf(a) - idOf(b) ||
        ORDER[a.kind] - ORDER[b.kind] ||
        a.depth - b.depth
    );
  let y = AXIS;
  let before: string | undefined;
  const rows = shown.map((row): LaidRow => {
    const lane = lanes[row.lane];
    const group = deviceOf(row);
    let head = '';
    if (group !== before) {
      const host = virtual ? __('Host (virtual time)') : __('Host');
      head = group === '' ? host : `${group}  ${lane?.deviceName ?? ''}`;
      y += HEAD;
    }
    before = group;
    const height = HEIGHTS[row.kind];
    const title = row.kind !== 'labels' ? (lane?.name ?? '') : row.depth === 1 ? __('labels') : '';
    y += height;
    return { ...row, title, device: group, head, y: y - height, height };
  });
  return { rows, height: y + 4 };
}
