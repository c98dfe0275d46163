/** The device memory of each notebook, for the Running panel: asked of its kernels while that panel is seen. */

import type { IRunningSessions } from '@jupyterlab/running';
import { Signal } from '@lumino/signaling';
import type { ArraysSummary } from '../../../src/description/arrays-schema.ts';
import { formatBytes } from '../views/array-inspector/format.ts';
import type { Phrases } from '../views/phrases.ts';
import { bytesOf } from './arrange.ts';
import type { KernelArraysPool, Source } from './arrays-model.ts';
import { arraysIcon } from './icon.ts';
import type { KernelArrays } from './kernel-arrays.ts';
import { countOf } from './row.ts';

/** Milliseconds between two questions to the kernels. */
const LEAST_PERIOD = 2000;

interface Holding {
  readonly source: Source;
  readonly arrays: KernelArrays;
}

export interface RunningOptions {
  readonly pool: KernelArraysPool;
  readonly phrases: Phrases;
  readonly activate: (source: Source) => void;
  /** Asks the person; true to go on. */
  readonly confirm: (source: Source, summary: ArraysSummary) => Promise<boolean>;
  readonly report: (sentence: string) => void;
  /** Whether the Running panel is seen. */
  readonly shown: () => boolean;
}

export class RunningArrays implements IRunningSessions.IManager {
  readonly name: string;
  readonly shutdownLabel: string;
  readonly shutdownAllLabel: string;
  readonly shutdownAllConfirmationText: string;
  readonly runningChanged = new Signal<this, void>(this);
  readonly #options: RunningOptions;
  readonly #summaries = new Map<KernelArrays, ArraysSummary>();
  readonly #followed = new WeakSet<KernelArrays>();
  #lastQuestion = -Infinity;
  #wanted = true;

  constructor(options: RunningOptions) {
    this.#options = options;
    const { phrases } = options;
    this.name = phrases.__('GPU Arrays');
    this.shutdownLabel = phrases.__('Free');
    this.shutdownAllLabel = phrases.__('Free All');
    this.shutdownAllConfirmationText = phrases.__(
      'Free every array of every notebook? Code that uses one of them afterwards throws FreedError.'
    );
  }

  /** Whether the person wants to see this: nothing is asked otherwise. */
  set wanted(wanted: boolean) {
    this.#wanted = wanted;
    this.runningChanged.emit();
  }

  running(): IRunningSessions.IRunningItem[] {
    if (!this.#wanted) return [];
    this.#askSoon();
    return this.#holdings().flatMap(holding => {
      const summary = this.#summaries.get(holding.arrays);
      return summary === undefined || summary.arrays === 0 ? [] : [this.#item(holding, summary)];
    });
  }

  refreshRunning(): void {
    this.#lastQuestion = -Infinity;
    this.#askSoon();
  }

  shutdownAll(): void {
    for (const { arrays } of this.#holdings()) void this.#free(arrays);
  }

  dispose(): void {
    for (const arrays of this.#summaries.keys())
      if (!arrays.isDisposed) arrays.changed.disconnect(this.#changedSoon, this);
    this.#summaries.clear();
    Signal.clearData(this);
  }

  #item({ source, arrays }: Holding, summary: ArraysSummary): IRunningSessions.IRunningItem {
    const { phrases, activate, confirm } = this.#options;
    const figures = `${countOf(summary.arrays, phrases)} · ${formatBytes(summary.bytes)}`;
    return {
      icon: () => arraysIcon,
      label: () => source.widget.title.label,
      labelTitle: () => `${source.sessionContext.path}\n${figures}`,
      detail: () => figures,
      open: () => activate(source),
      shutdown: () => {
        void confirm(source, summary).then(wanted => (wanted ? this.#free(arrays) : undefined));
      }
    };
  }

  /** One for each kernel, under the first notebook or console that has it. */
  #holdings(): Holding[] {
    const { pool } = this.#options;
    const found = new Map<KernelArrays, Holding>();
    for (const source of pool.sources()) {
      const arrays = pool.of(source);
      if (arrays === null || found.has(arrays)) continue;
      found.set(arrays, { source, arrays });
      if (this.#followed.has(arrays)) continue;
      this.#followed.add(arrays);
      arrays.changed.connect(this.#changedSoon, this);
    }
    for (const arrays of this.#summaries.keys()) if (!found.has(arrays)) this.#summaries.delete(arrays);
    return [...found.values()];
  }

  async #free(arrays: KernelArrays): Promise<void> {
    try {
      await arrays.request('free', {});
    } catch (reason) {
      this.#options.report(reason instanceof Error ? reason.message : String(reason));
    }
    this.refreshRunning();
  }

  #changedSoon(): void {
    if (this.#wanted && this.#options.shown()) this.#askSoon();
  }

  /** In a turn of its own: the panel asks what runs while it is about to be seen. */
  #askSoon(): void {
    const now = performance.now();
    if (now - this.#lastQuestion < LEAST_PERIOD) return;
    this.#lastQuestion = now;
    setTimeout(() => {
      if (this.#options.shown()) void this.#ask();
      else this.#lastQuestion = -Infinity;
    }, 50);
  }

  async #ask(): Promise<void> {
    const questions = this.#holdings().map(async ({ arrays }) => {
      const before = this.#summaries.get(arrays);
      const summary = await this.#summaryOf(arrays);
      this.#summaries.set(arrays, summary);
      return before?.arrays !== summary.arrays || before.bytes !== summary.bytes;
    });
    if ((await Promise.all(questions)).includes(true)) this.runningChanged.emit();
  }

  /** What is known where the kernel does not answer: it is busy, gone or of another kind. */
  async #summaryOf(arrays: KernelArrays): Promise<ArraysSummary> {
    const live = [...arrays.entries.values()].filter(({ state }) => state !== 'freed');
    const known = { arrays: live.length, bytes: bytesOf(live) };
    try {
      return (await arrays.request('summary', {})) as unknown as ArraysSummary;
    } catch {
      return arrays.state === 'gone' ? { arrays: 0, bytes: 0 } : known;
    }
  }
}
