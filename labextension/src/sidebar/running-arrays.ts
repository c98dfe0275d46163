/** The device memory of each notebook, asked of its kernels. */

import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import type { ArraysSummary } from '../../../src/pictures/arrays/schema.ts';
import { formatBytes } from '../../../src/base/bytes-text.ts';
import { bytesOf } from './arrange.ts';
import type { KernelArraysPool, Source } from './arrays-model.ts';
import { countOf } from './free-sentences.ts';
import type { KernelArrays } from './kernel-arrays.ts';
import { __ } from '../views/kit/phrases.ts';

export interface RunningOptions {
  readonly pool: KernelArraysPool;
  /** Shows the widget of that id. */
  readonly activate: (id: string) => void;
}

export interface RunningItem {
  readonly label: string;
  readonly title: string;
  readonly detail: string;
  readonly open: () => void;
  /** After a question. */
  readonly free: () => Promise<void>;
}

export class RunningArrays {
  readonly #options: RunningOptions;
  readonly #summaries = new Map<KernelArrays, ArraysSummary>();
  readonly #followed = new WeakSet<KernelArrays>();
  #listener: () => void = () => undefined;

  constructor(options: RunningOptions) {
    this.#options = options;
  }

  /** Notebooks and consoles whose kernel holds any, each kernel once. */
  items(): RunningItem[] {
    const { activate } = this.#options;
    return [...this.#holders()].flatMap(([arrays, source]) => {
      const summary = this.#summaries.get(arrays);
      if (summary === undefined || summary.arrays === 0) return [];
      const detail = `${countOf(summary.arrays)} · ${formatBytes(summary.bytes)}`;
      return [
        {
          label: source.widget.title.label,
          title: `${source.sessionContext.path}\n${detail}`,
          detail,
          open: () => activate(source.widget.id),
          free: async () => {
            if (await this.#confirm(source, detail)) await this.#free(arrays);
          }
        }
      ];
    });
  }

  /** Calls `listener` when a kernel said something that may change an answer. */
  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  /** Asks every kernel; tells whether an answer differs from the one before. */
  async ask(): Promise<boolean> {
    const holders = this.#holders();
    let changed = false;
    for (const known of this.#summaries.keys())
      if (!holders.has(known)) changed = this.#summaries.delete(known);
    const questions = [...holders.keys()].map(async arrays => {
      const before = this.#summaries.get(arrays);
      const summary = await summaryOf(arrays);
      this.#summaries.set(arrays, summary);
      if (before?.arrays !== summary.arrays || before.bytes !== summary.bytes) changed = true;
    });
    await Promise.all(questions);
    return changed;
  }

  async freeAll(): Promise<void> {
    await Promise.all([...this.#summaries.keys()].map(arrays => this.#free(arrays)));
  }

  #holders(): Map<KernelArrays, Source> {
    const { pool } = this.#options;
    const holders = new Map<KernelArrays, Source>();
    for (const source of pool.sources()) {
      const arrays = pool.of(source);
      if (arrays === null || holders.has(arrays)) continue;
      holders.set(arrays, source);
      if (this.#followed.has(arrays)) continue;
      this.#followed.add(arrays);
      arrays.changed.connect(() => this.#listener());
    }
    return holders;
  }

  async #confirm(source: Source, detail: string): Promise<boolean> {
    const { button } = await showDialog({
      title: __('Free the arrays of %1?', source.widget.title.label),
      body: __('Arrays: %1. Code that uses a freed array throws FreedError.', detail),
      buttons: [Dialog.cancelButton({ label: __('Cancel') }), Dialog.warnButton({ label: __('Free') })],
      defaultButton: 0
    });
    return button.accept;
  }

  async #free(arrays: KernelArrays): Promise<void> {
    try {
      await arrays.request('free', {});
    } catch (reason) {
      Notification.error(reason instanceof Error ? reason.message : String(reason));
    }
  }
}

/** What is known where the kernel does not answer: it is busy, gone or of another kind. */
async function summaryOf(arrays: KernelArrays): Promise<ArraysSummary> {
  try {
    return (await arrays.request('summary', {})) as unknown as ArraysSummary;
  } catch {
    const live = [...arrays.entries.values()].filter(({ state }) => state !== 'freed');
    return { arrays: live.length, bytes: bytesOf(live) };
  }
}
