/** Thins the history of bytes in use to what a picture can show. */

import type { Device } from '../../core/device.ts';
import { Allocation, type LogEvent } from '../../recording/memory/records.ts';

/** Returns alternating milliseconds and bytes, at most two pairs for each of `parts`. `live`: bytes in use after the last event. */
export function thinnedHistory(
  events: readonly LogEvent[],
  device: Device,
  live: number,
  parts: number
): number[] {
  const changes = events.flatMap(event => {
    const bytes = changeOf(event, device);
    return bytes === 0 ? [] : [{ time: event.time / 1000, bytes }];
  });
  const first = changes[0];
  const last = changes.at(-1);
  if (first === undefined || last === undefined) return [];
  let current = live - changes.reduce((sum, { bytes }) => sum + bytes, 0);
  const points: number[] = [first.time, current];
  const width = Math.max((last.time - first.time) / parts, Number.MIN_VALUE);
  let [part, most, mostAt] = [0, -1, 0];
  const flush = (time: number): void => {
    // Keeps each part's maximum and its final value.
    if (most > current) points.push(mostAt, most);
    points.push(time, current);
    most = -1;
  };
  let previous = first.time;
  for (const { time, bytes } of changes) {
    const now = Math.min(Math.floor((time - first.time) / width), parts - 1);
    if (now !== part) flush(previous);
    part = now;
    current += bytes;
    if (current > most) [most, mostAt] = [current, time];
    previous = time;
  }
  flush(previous);
  return points.map(value => Math.round(value * 1000) / 1000);
}

function changeOf({ kind, subject }: LogEvent, device: Device): number {
  if (!(subject instanceof Allocation) || subject.device !== device || subject.kind === 'borrowed') return 0;
  return kind === 'allocate' ? subject.bytes : kind === 'free' ? -subject.bytes : 0;
}
