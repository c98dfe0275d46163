/** Merges the traces of workers into one: lanes by worker, times of one clock. Pure. */

import type { TraceEvent } from '../recording/trace/records.ts';

/** The trace of one worker. */
export interface WorkerTrace {
  /** The worker's name. */
  readonly worker: string;
  readonly events: readonly TraceEvent[];
  readonly dropped: number;
  /** The client's time at the zero of the trace, in microseconds since 1970. */
  readonly origin: number;
  /** The part of it that aligns the clocks, and the largest error of `origin`, in microseconds. */
  readonly offset: number;
  readonly error: number;
}

/** Numbers of threads and labels that each worker may use. */
const THREADS = 1_000;
const LABELS = 1_000_000_000;

function shifted(event: TraceEvent, worker: number, name: string, by: number): TraceEvent {
  const { device, labels, thread, hostStart, hostEnd, submitted, start, end } = event;
  // Virtual time begins at each trace's start, whatever the clock.
  const onDevice = device?.simulated === true ? 0 : by;
  const move = (time: number | null): number | null => (time === null ? null : time + onDevice);
  return {
    ...event,
    device: device && { ...device, label: `${name} · ${device.label}` },
    thread: worker * THREADS + thread,
    labels: labels.map(label => ({ ...label, id: worker * LABELS + label.id })),
    hostStart: hostStart + by,
    hostEnd: hostEnd + by,
    submitted: move(submitted),
    start: move(start),
    end: move(end)
  };
}

/** Merges traces, in the order in which the work was submitted. Times are microseconds since the earliest trace started. */
export function mergeTraces(traces: readonly WorkerTrace[]): {
  readonly events: readonly TraceEvent[];
  readonly dropped: number;
  readonly clocks: readonly { readonly worker: string; readonly offset: number; readonly error: number }[];
} {
  const zero = traces.reduce((least, { origin }) => Math.min(least, origin), Infinity);
  const events = traces
    .flatMap(({ worker, events: own, origin }, index) =>
      own.map(event => shifted(event, index, worker, origin - zero))
    )
    .sort((a, b) => a.hostStart - b.hostStart)
    .map((event, number) => ({ ...event, number }));
  return {
    events,
    dropped: traces.reduce((sum, { dropped }) => sum + dropped, 0),
    clocks: traces.map(({ worker, offset, error }) => ({ worker, offset, error }))
  };
}
