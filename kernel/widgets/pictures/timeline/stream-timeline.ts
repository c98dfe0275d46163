/** The kernel half of the live timeline: pushes new records as binary columns; its state has the longest and the latest ones. */

import { gzip } from 'node:zlib';
import { promisify } from 'node:util';

import type { Parameters, PictureTexts } from '../../../../src/pictures/kit/live-messages.ts';
import type { TraceProgress } from '../../../../src/recording/trace/kinds.ts';
import type { TracePicture } from '../../../../src/pictures/timeline/schema.ts';
import type { Trace } from '../../../../src/recording/trace/trace.ts';
import { traceBatch } from '../../../../src/pictures/timeline/batch.ts';
import type { TraceEvent } from '../../../../src/recording/trace/records.ts';
import type { TraceReader } from '../../../../src/recording/trace/reader.ts';
import { renderTrace } from '../../../../src/pictures/timeline/render.ts';
import { TraceSummary } from '../../../../src/pictures/timeline/summary.ts';
import { LiveWidget } from '../kit/live-widget.ts';
import type { Reply } from '../kit/requests.ts';

/** Maximum records in one message: 400 KB, which takes some 20 ms to create. */
const MOST_RECORDS = 8192;
/** Interval of pushes of new records, in ms: 16 a second, beside about four states, make 20 messages. */
const PUSH_PERIOD_MS = 63;
/** Interval of updates of the saved state while records arrive, in ms. */
const SUMMARY_PERIOD_MS = 2000;
/** Maximum share of time spent on rendering the HTML, which shows all records. */
const MOST_RENDERING = 1 / 20;
/** Polling interval of unfinished work after the last record, in ms. */
const OPEN_PERIOD_MS = 250;

const compress = promisify(gzip);

export class StreamTimeline extends LiveWidget<TracePicture> {
  readonly #trace: Trace;
  readonly #reader: TraceReader;
  readonly #summary: TraceSummary;
  #progress: TraceProgress;
  /** Duration of the last rendering of the HTML, in ms. */
  readonly #rendering: { readonly took: number };
  #sampling: NodeJS.Timeout | undefined;
  #lastPush = 0;

  constructor(trace: Trace) {
    const reader = trace.reader();
    const summary = new TraceSummary();
    const progress = catchUp(reader, summary);
    const rendering = { took: 0 };
    const render = (): PictureTexts => {
      const start = performance.now();
      const texts = renderTrace(trace.read());
      rendering.took = performance.now() - start;
      return texts;
    };
    super({ name: 'StreamTimeline', label: () => 'trace', render }, summary.picture(progress));
    this.#rendering = rendering;
    this.#trace = trace;
    this.#reader = reader;
    this.#summary = summary;
    this.#progress = progress;
    this.on(
      'close',
      trace.onChange(() => this.#sample(0))
    );
  }

  protected override describe(): TracePicture {
    return this.#summary.picture(this.#progress);
  }

  protected override watching(watched: boolean): void {
    clearTimeout(this.#sampling);
    this.#sampling = undefined;
    if (watched) this.#sample(0);
  }

  protected override async answer(method: string, parameters: Parameters): Promise<Reply | undefined> {
    if (method === 'records') {
      const most = 'most' in parameters ? wholeNumber(parameters, 'most') : MOST_RECORDS;
      return this.#records(wholeNumber(parameters, 'from'), Math.min(most, MOST_RECORDS));
    }
    if (method === 'details') return this.#details(wholeNumber(parameters, 'number'));
    if (method === 'start' || method === 'stop') {
      this.#trace[method]();
      return {};
    }
    if (method === 'chrome') {
      const json = JSON.stringify(this.#trace.toChrome());
      return { buffers: [await compress(json, { level: 1 })] };
    }
    return undefined;
  }

  /** Returns known records from a number on, in several answers if needed: `next` is the first record of the following one. */
  #records(from: number, most: number): Reply {
    if (this.#reader.next === 0) this.#tell();
    const { next } = this.#reader;
    const events = this.#reader.again(from, most);
    const reached = events.length === 0 ? next : (events.at(-1) as TraceEvent).number + 1;
    const { content, buffers } = this.#message(events);
    return { content: { ...content, next: reached, more: reached < next }, buffers };
  }

  #details(number: number): Reply {
    const [event] = this.#reader.again(number, 1);
    if (event === undefined || event.number !== number)
      throw new Error('The kernel no longer has this record: it was dropped, or the trace was restarted.');
    const { blocks, allocatedBytes, hostStart, hostEnd, thread } = event;
    return {
      content: {
        hostStart,
        hostEnd,
        thread,
        allocatedBytes,
        blocks: blocks.map(({ pointer, bytes, access }) => ({
          pointer: `0x${pointer.toString(16)}`,
          bytes,
          access
        }))
      }
    };
  }

  #message(events: readonly TraceEvent[]): Required<Reply> {
    const { batch, columns } = traceBatch(events, this.#summary.labels);
    return { content: { ...this.#progress, batch }, buffers: [columns] };
  }

  #sample(wait: number): void {
    if (!this.watched || this.#sampling !== undefined) return;
    const early = this.#lastPush + PUSH_PERIOD_MS - performance.now();
    const sample = (): void => {
      this.#sampling = undefined;
      this.#tell();
    };
    this.#sampling = setTimeout(sample, Math.max(wait, early)).unref();
  }

  /** Reads new records and pushes them; schedules another read if there may be more. */
  #tell(): void {
    const before = this.#progress;
    const news = this.#reader.read(MOST_RECORDS);
    const { events, epoch, recording, added, dropped } = news;
    if (news.restarted) this.#summary.clear();
    this.#summary.add(events);
    this.#progress = { epoch, recording, added, dropped };
    const changed = recording !== before.recording || epoch !== before.epoch;
    if (events.length > 0 || changed) {
      if (this.watched) {
        const { content, buffers } = this.#message(events);
        this.push(content, buffers);
        this.#lastPush = performance.now();
      }
      const period = Math.max(SUMMARY_PERIOD_MS, this.#rendering.took / MOST_RENDERING);
      this.schedule(changed ? OPEN_PERIOD_MS : period);
    }
    if (recording || news.more) this.#sample(PUSH_PERIOD_MS);
    else if (news.open > 0) this.#sample(OPEN_PERIOD_MS);
  }
}

/** Reads all records; called by `inspect`, so it may take a while. */
function catchUp(reader: TraceReader, summary: TraceSummary): TraceProgress {
  for (;;) {
    const { events, more, epoch, recording, added, dropped } = reader.read(MOST_RECORDS);
    summary.add(events);
    if (!more) return { epoch, recording, added, dropped };
  }
}

function wholeNumber(parameters: Parameters, name: string): number {
  const value = parameters[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new Error(`${name} must be a whole number, not ${JSON.stringify(value)}.`);
  return value;
}
