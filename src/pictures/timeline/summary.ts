/** Summary of a trace in a saved notebook: the longest records and the latest, in at most 64 KiB. */

import type { TraceProgress } from '../../recording/trace/kinds.ts';
import { TRACE_PICTURE_VERSION, type TracePicture } from './schema.ts';
import { traceBatch } from './batch.ts';
import type { TraceEvent, TraceRecords } from '../../recording/trace/records.ts';
import { VirtualLabels } from '../../recording/trace/virtual-labels.ts';

const MOST_BYTES = 64 * 1024;
/** Maximum number of records of each sort. */
const KEPT = { device: 300, host: 100, latest: 400 };

const isTimed = ({ start }: TraceEvent): boolean => start !== null;
const lengthOf = ({ start, end, hostStart, hostEnd }: TraceEvent): number =>
  start === null || end === null ? hostEnd - hostStart : end - start;

/** Keeps the longest records. Device and host are counted separately: the clocks of a simulated device differ. */
export class TraceSummary {
  readonly labels = new VirtualLabels();
  #longest: TraceEvent[] = [];
  #latest: TraceEvent[] = [];

  clear(): void {
    this.#longest = [];
    this.#latest = [];
    this.labels.clear();
  }

  /** Adds records; a repeated one replaces its earlier version. */
  add(events: readonly TraceEvent[]): void {
    for (const event of events) this.labels.note(event);
    const numbers = new Set(events.map(({ number }) => number));
    const merged = (kept: readonly TraceEvent[]): TraceEvent[] => [
      ...kept.filter(({ number }) => !numbers.has(number)),
      ...events
    ];
    const longest = merged(this.#longest).sort((a, b) => lengthOf(b) - lengthOf(a));
    this.#longest = [
      ...longest.filter(isTimed).slice(0, KEPT.device),
      ...longest.filter(event => !isTimed(event)).slice(0, KEPT.host)
    ];
    this.#latest = merged(this.#latest)
      .sort((a, b) => a.number - b.number)
      .slice(-KEPT.latest);
  }

  picture(progress: TraceProgress): TracePicture {
    const { epoch, recording, added, dropped } = progress;
    for (let share = 1; ; share /= 2) {
      const kept = [
        ...this.#longest.filter((_, rank) => rank % Math.round(1 / share) === 0),
        ...this.#latest.slice(-Math.ceil(KEPT.latest * share))
      ];
      const events = [...new Map(kept.map(event => [event.number, event])).values()];
      events.sort((a, b) => a.number - b.number);
      const { batch, columns } = traceBatch(events, this.labels);
      const picture: TracePicture = {
        version: TRACE_PICTURE_VERSION,
        epoch,
        recording,
        added,
        dropped,
        batch,
        columns: Buffer.from(columns.buffer as ArrayBuffer).toString('base64')
      };
      if (share < 0.01 || Buffer.byteLength(JSON.stringify(picture)) <= MOST_BYTES) return picture;
    }
  }
}

export function tracePicture({ events, dropped }: TraceRecords, recording: boolean): TracePicture {
  const summary = new TraceSummary();
  summary.add(events);
  const added = (events.at(-1)?.number ?? -1) + 1;
  return summary.picture({ epoch: 0, recording, added, dropped });
}
