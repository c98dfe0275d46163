/** Texts of times and rates, and the tick marks of an axis. All in microseconds. */

import { unitFor } from '../../../../src/base/time-text.ts';

/** Formats a time with the precision of a view of that span. */
export function formatTime(time: number, span: number): string {
  const [unit, size] = unitFor(Math.max(Math.abs(time), span));
  const digits = Math.max(0, Math.min(6, Math.ceil(Math.log10(size / span)) + 3));
  return `${Number((time / size).toFixed(digits))} ${unit}`;
}

export interface Tick {
  readonly time: number;
  readonly text: string;
}

/** Ticks at 1, 2 or 5 times a power of ten, at least `room` apart. All use the unit of the largest. */
export function ticksOf(from: number, to: number, room: number): Tick[] {
  const power = 10 ** Math.floor(Math.log10(room));
  const step = power * ([1, 2, 5].find(factor => factor * power >= room) ?? 10);
  const [unit, size] = unitFor(Math.max(Math.abs(from), Math.abs(to)));
  const digits = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
  const ticks: Tick[] = [];
  for (let index = Math.ceil(from / step); index * step <= to; index += 1) {
    // Avoids minus zero.
    const time = index * step + 0;
    ticks.push({ time, text: `${(time / size).toFixed(digits)} ${unit}` });
  }
  return ticks;
}

/** Formats a transfer rate, `12.5 GB/s`; empty if it is unknown. */
export function formatRate(bytes: number, duration: number): string {
  return bytes > 0 && duration > 0 ? `${Number((bytes / duration / 1000).toPrecision(4))} GB/s` : '';
}
