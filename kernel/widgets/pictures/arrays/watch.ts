/** Follows the notebook's arrays while a panel is visible, and reports changes, at most twenty times a second. */

import { setTimeout as pause } from 'node:timers/promises';
import {
  ARRAYS_VERSION,
  type ArraysChange,
  type StreamEntry
} from '../../../../src/pictures/arrays/schema.ts';
import { widgetHost } from '../../model/host.ts';
import { UPDATE_PERIOD_MS } from '../kit/live-widget.ts';
import { Blocks } from './blocks.ts';
import { readDevices } from './devices.ts';
import { StreamStates } from './entry.ts';
import { Ledger } from './ledger.ts';
import { lookAtAll } from './scan.ts';

/** Polling interval of busy streams, in ms; the device does not signal their end. */
const BUSY_PERIOD_MS = 100;
/** Maximum entries in one message: a few hundred kilobytes. */
const ENTRIES_PER_MESSAGE = 1000;

type News = Pick<ArraysChange, 'set'> & Partial<Pick<ArraysChange, 'removed' | 'devices' | 'truncated'>>;

export class Watch {
  readonly #send: (change: ArraysChange) => void;
  readonly ledger = new Ledger(id => this.#used(id));
  readonly #blocks = new Blocks();
  /** Arrays used since the last scan. */
  readonly #touched = new Set<number>();
  readonly #stopListening: () => void;
  readonly #poll: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #lastSent = 0;
  #looking = false;
  /** Whether the next scan covers all arrays, not only the used ones. */
  #allDue = false;
  #ended = false;
  #toldAnything = false;
  readonly #streams = new Map<number, StreamEntry>();
  /** Last states that were sent, as text to compare. */
  #toldDevices = '';
  #toldStreams = '';

  /** Starts watching. Every `period` milliseconds it also polls devices and arrays of running cells, which send no events. */
  constructor(period: number, send: (change: ArraysChange) => void) {
    this.#send = send;
    this.#stopListening = widgetHost().onCellEnd(() => this.lookAnew());
    this.#poll = setInterval(() => this.lookAnew(), period);
    this.#poll.unref();
    this.lookAnew();
  }

  lookAnew(): void {
    this.#allDue = true;
    this.#schedule();
  }

  /** Ends all scans; uses of arrays then cost no more than without a sidebar. */
  end(): void {
    this.#ended = true;
    this.#stopListening();
    clearInterval(this.#poll);
    clearTimeout(this.#timer);
    this.ledger.clear();
  }

  #used(id: number): void {
    this.#touched.add(id);
    this.#schedule();
  }

  #schedule(period = UPDATE_PERIOD_MS): void {
    if (this.#ended || this.#looking || this.#timer !== undefined) return;
    const wait = Math.max(0, this.#lastSent + period - performance.now());
    this.#timer = setTimeout(() => void this.#look(), wait);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    this.#looking = true;
    const all = this.#allDue;
    this.#allDue = false;
    try {
      if (all) await this.#lookAtAll();
      else await this.#lookAtUsed();
    } finally {
      this.#looking = false;
    }
    if (this.#allDue || this.#touched.size > 0) this.#schedule();
    else if (this.ledger.busy.size > 0) this.#schedule(BUSY_PERIOD_MS);
  }

  async #lookAtAll(): Promise<void> {
    this.#touched.clear();
    const { set, removed, streams, truncated } = await lookAtAll(this.ledger, this.#blocks);
    const devices = this.#ended ? [] : readDevices(this.ledger.entries());
    this.#streams.clear();
    this.#noteStreams(streams);
    await this.#tell({ set, removed, devices, truncated });
  }

  async #lookAtUsed(): Promise<void> {
    const ids = new Set([...this.#touched, ...this.ledger.busy]);
    this.#touched.clear();
    const streams = new StreamStates();
    const set = [...ids].map(id => this.ledger.refresh(id, streams)).filter(entry => entry !== null);
    // The array's block is now smaller, and the device has more free memory.
    if (set.some(({ state }) => state === 'freed')) this.#allDue = true;
    this.#noteStreams(streams);
    await this.#tell({ set });
  }

  #noteStreams(streams: StreamStates): void {
    for (const stream of streams.all()) this.#streams.set(stream.id, stream);
  }

  async #tell({ set, removed = [], devices, truncated }: News): Promise<void> {
    const deviceText = devices === undefined ? this.#toldDevices : JSON.stringify(devices);
    const streams = [...this.#streams.values()];
    const streamText = JSON.stringify(streams);
    const news = {
      removed,
      devices: deviceText === this.#toldDevices ? null : (devices ?? null),
      streams: streamText === this.#toldStreams ? null : streams
    };
    this.#toldDevices = deviceText;
    this.#toldStreams = streamText;
    const isNews = set.length + removed.length > 0 || news.devices !== null || news.streams !== null;
    if (this.#toldAnything && !isNews) return;
    for (let at = 0; at === 0 || at < set.length; at += ENTRIES_PER_MESSAGE) {
      if (at > 0) await pause(UPDATE_PERIOD_MS, undefined, { ref: false });
      if (this.#ended) return;
      this.#send({
        version: ARRAYS_VERSION,
        first: !this.#toldAnything,
        set: set.slice(at, at + ENTRIES_PER_MESSAGE),
        ...(at === 0 ? news : { removed: [], devices: null, streams: null }),
        complete: at + ENTRIES_PER_MESSAGE >= set.length,
        truncated: truncated ?? null
      });
      this.#toldAnything = true;
      this.#lastSent = performance.now();
    }
  }
}
