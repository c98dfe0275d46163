/** A trace in Chrome's trace event format (the document "Trace Event Format"), which Perfetto opens. Pure. */

import type { TraceEvent, TraceRecords } from './records.ts';
import { VIRTUAL_CALL } from './virtual-labels.ts';

/** One entry of `traceEvents`; times and durations in microseconds. */
export interface ChromeEvent {
  readonly name: string;
  /** `M` metadata, `X` a slice, `b` and `e` ends of overlapping slices, `s` and `f` ends of an arrow, `C` a counter, `i` an instant. */
  readonly ph: 'M' | 'X' | 'b' | 'e' | 's' | 'f' | 'C' | 'i';
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly id?: number;
  /** An arrow ends at the enclosing slice. */
  readonly bp?: 'e';
  /** An instant has thread scope. */
  readonly s?: 't';
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface ChromeTrace {
  readonly traceEvents: readonly ChromeEvent[];
  readonly displayTimeUnit: 'ns';
  readonly otherData: Readonly<Record<string, string | number>>;
}

type Slice = ChromeEvent & { readonly ts: number; readonly dur: number };

const HOST = 1;
/** Kinds that are shown only on the host. */
const HOST_KINDS: ReadonlySet<TraceEvent['kind']> = new Set(['label', 'allocation', 'free', 'host-wait']);
/** Submission threads in the process of a simulated device sort after its streams. */
const SUBMISSIONS = 1_000_000;

function argumentsOf(event: TraceEvent): Record<string, unknown> {
  const found: Record<string, unknown> = { number: event.number };
  if (event.bytes > 0) found['bytes'] = event.bytes;
  if (event.array !== null) found['array'] = `${event.array.dtype} (${event.array.shape.join(', ')})`;
  if (event.waitsFor !== null) found['waits for'] = `stream #${event.waitsFor}`;
  if (event.cell !== null) found['cell'] = event.cell;
  if (event.labels.length > 0) found['labels'] = event.labels.map(({ text }) => text).join(' > ');
  for (const [index, block] of event.blocks.entries())
    found[`block ${index}`] = `0x${block.pointer.toString(16)}, ${block.bytes} B, ${block.access}`;
  if (event.start !== null && event.end !== null && event.bytes > 0 && event.end > event.start)
    found['GB/s'] = Number((event.bytes / (event.end - event.start) / 1000).toFixed(3));
  return found;
}

/** Makes slices of one thread disjoint: device times are floats, whose last digits may overlap. */
function follow(slices: Slice[]): Slice[] {
  let end = -Infinity;
  return slices
    .sort((a, b) => a.ts - b.ts || (a.args?.['number'] as number) - (b.args?.['number'] as number))
    .map(slice => {
      const ts = Math.max(slice.ts, end);
      end = Math.max(slice.ts + slice.dur, ts);
      return { ...slice, ts, dur: end - ts };
    });
}

class Export {
  readonly #events: readonly TraceEvent[];
  readonly #out: ChromeEvent[] = [];
  readonly #metadata: ChromeEvent[] = [];
  readonly #processes = new Map<string, number>();
  readonly #threads = new Set<string>();

  constructor(events: readonly TraceEvent[]) {
    this.#events = events;
  }

  run(): ChromeEvent[] {
    this.#process('host', 'host');
    const devices = new Map(
      this.#events.flatMap(({ device }) => (device === null ? [] : [[device.label, device]]))
    );
    for (const [label, { simulated, name }] of [...devices].sort(([a], [b]) => (a < b ? -1 : 1)))
      this.#process(label, simulated ? `${label}, virtual time` : `${label} ${name}`);
    const executions = this.#executions();
    for (const event of this.#events) this.#host(event, executions.get(event.number));
    for (const [label, { simulated }] of devices) if (simulated) this.#virtualLabels(label);
    const rank = (event: ChromeEvent): number => (event.ph === 'X' ? -(event.dur ?? 0) : 0);
    this.#out.sort((a, b) => (a.ts ?? 0) - (b.ts ?? 0) || rank(a) - rank(b));
    return [...this.#metadata, ...this.#out];
  }

  #name(kind: string, pid: number, tid: number, name: string, sort: number): void {
    const key = kind.startsWith('process') ? 'process_sort_index' : 'thread_sort_index';
    this.#metadata.push({ name: kind, ph: 'M', pid, tid, args: { name } });
    this.#metadata.push({ name: key, ph: 'M', pid, tid, args: { sort_index: sort } });
  }

  #process(key: string, name: string): number {
    const known = this.#processes.get(key);
    if (known !== undefined) return known;
    const pid = HOST + this.#processes.size;
    this.#processes.set(key, pid);
    this.#name('process_name', pid, 0, name, pid);
    return pid;
  }

  #thread(pid: number, tid: number, name: string, sort: number): void {
    if (this.#threads.has(`${pid}/${tid}`)) return;
    this.#threads.add(`${pid}/${tid}`);
    this.#name('thread_name', pid, tid, name, sort);
  }

  #pidOf(event: TraceEvent): number {
    return event.device === null ? HOST : this.#processes.get(event.device.label)!;
  }

  /** Returns the slices on streams by record number. */
  #executions(): Map<number, Slice> {
    const rows = new Map<string, Slice[]>();
    for (const event of this.#events) {
      const { streamId, stream, start, end } = event;
      if (streamId === null || stream === null || start === null || end === null) continue;
      const pid = this.#pidOf(event);
      this.#thread(pid, streamId, stream, streamId);
      const row = rows.get(`${pid}/${streamId}`) ?? [];
      rows.set(`${pid}/${streamId}`, row);
      const args = argumentsOf(event);
      const dur = Math.max(0, end - start);
      row.push({ name: event.name, cat: event.kind, ph: 'X', pid, tid: streamId, ts: start, dur, args });
    }
    const slices = [...rows.values()].flatMap(follow);
    this.#out.push(...slices);
    return new Map(slices.map(slice => [slice.args?.['number'] as number, slice]));
  }

  #host(event: TraceEvent, execution: Slice | undefined): void {
    const { kind, name, thread: tid, hostStart: ts, hostEnd } = event;
    const args = argumentsOf(event);
    if (!HOST_KINDS.has(kind)) {
      this.#submission(event, execution, args);
      return;
    }
    this.#thread(HOST, tid, `thread ${tid}`, tid);
    const shown = { name, cat: kind, pid: HOST, tid, ts, args };
    const own = kind === 'label' ? event.labels.at(-1) : undefined;
    if (own?.asynchronous === true) {
      // Other work runs during the wait, so it need not nest within its thread's slices.
      const both = { name, cat: kind, pid: HOST, tid, id: own.id };
      this.#out.push({ ...both, ph: 'b', ts, args }, { ...both, ph: 'e', ts: hostEnd });
    } else if (kind === 'label' || kind === 'host-wait') {
      this.#out.push({ ...shown, ph: 'X', dur: hostEnd - ts });
    } else {
      const counter = `allocated bytes, ${event.device?.label}`;
      const bytes = event.allocatedBytes;
      this.#out.push(
        { ...shown, ph: 'i', s: 't' },
        { name: counter, ph: 'C', pid: HOST, tid: 0, ts, args: { bytes } }
      );
    }
  }

  #submission(event: TraceEvent, execution: Slice | undefined, args: Record<string, unknown>): void {
    if (event.submitted === null) return;
    const { name, number: id } = event;
    const virtual = event.device?.simulated === true;
    const pid = virtual ? this.#pidOf(event) : HOST;
    const tid = virtual ? SUBMISSIONS + event.thread : event.thread;
    const title = virtual ? `submissions of thread ${event.thread}` : `thread ${event.thread}`;
    this.#thread(pid, tid, title, virtual ? -1 : tid);
    const ts = event.submitted;
    const dur = virtual ? VIRTUAL_CALL : event.hostEnd - event.hostStart;
    this.#out.push({ name, cat: 'submission', ph: 'X', pid, tid, ts, dur, args });
    // The clocks of host and device agree to microseconds: omit an arrow that would point back in time.
    if (execution === undefined || ts > execution.ts + execution.dur) return;
    const flow = { name: 'submission', cat: 'flow', id };
    const { pid: toProcess, tid: toThread } = execution;
    this.#out.push({ ...flow, ph: 's', pid, tid, ts });
    const arrival = Math.max(ts, execution.ts);
    this.#out.push({ ...flow, ph: 'f', bp: 'e', pid: toProcess, tid: toThread, ts: arrival });
  }

  /** Adds labels in virtual time, where a label spans its first to its last submission. */
  #virtualLabels(device: string): void {
    const pid = this.#processes.get(device)!;
    const found = new Map<
      string,
      { name: string; tid: number; first: number; last: number; depth: number }
    >();
    for (const event of this.#events) {
      const at = event.submitted;
      if (event.device?.label !== device || at === null || event.streamId === null) continue;
      for (const [depth, label] of event.labels.entries()) {
        if (label.asynchronous !== false) continue;
        const tid = SUBMISSIONS + event.thread;
        const key = `${tid}/${label.id}`;
        const range = found.get(key) ?? { name: label.text, tid, first: at, last: at, depth };
        range.last = Math.max(range.last, at);
        found.set(key, range);
      }
    }
    // If several labels begin together, the outer ones come first; the sort is stable.
    const outermost = [...found.values()].sort((a, b) => a.depth - b.depth);
    const slices = outermost.map(({ name, tid, first, last }): ChromeEvent => {
      return { name, cat: 'label', ph: 'X', pid, tid, ts: first, dur: last + VIRTUAL_CALL - first };
    });
    this.#out.unshift(...slices);
  }
}

/** Converts a trace. Work that is not complete is shown only by its submission. */
export function chromeTrace({ events, dropped }: TraceRecords): ChromeTrace {
  return {
    traceEvents: new Export(events).run(),
    displayTimeUnit: 'ns',
    otherData: { producer: 'stridelab', 'records dropped': dropped }
  };
}
