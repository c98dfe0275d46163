/** The device memory of each notebook, queried from its kernel. */

import { Notification } from '@jupyterlab/apputils';
import type { IRunningSessions } from '@jupyterlab/running';
import type { ArraysSummary } from '../../../src/pictures/arrays/schema.ts';
import { formatBytes } from '../../../src/base/bytes-text.ts';
import { bytesOf } from './arrange.ts';
import type { KernelArraysPool, Source } from './arrays-model.ts';
import { askToFree } from './free-dialog.ts';
import { countOf } from './free-sentences.ts';
import { arraysIcon } from './icon.ts';
import type { KernelArrays } from './kernel-arrays.ts';
import { __ } from '../views/kit/phrases.ts';

export interface RunningOptions {
  readonly pool: KernelArraysPool;
  /** Activates the widget with that id. */
  readonly activate: (id: string) => void;
}

export class RunningArrays {
  readonly #options: RunningOptions;
  readonly #summaries = new Map<KernelArrays, ArraysSummary>();
  readonly #followed = new WeakSet<KernelArrays>();
  #listener: () => void = () => undefined;

  constructor(options: RunningOptions) {
    this.#options = options;
  }

  /** Lists notebooks and consoles whose kernel holds memory, each kernel once. `freed` is called after arrays of one were freed. */
  items(freed: () => void): IRunningSessions.IRunningItem[] {
    return [...this.#holders()].flatMap(([arrays, { widget, sessionContext }]) => {
      const summary = this.#summaries.get(arrays);
      if (summary === undefined || summary.arrays === 0) return [];
      const detail = `${countOf(summary.arrays)} · ${formatBytes(summary.bytes)}`;
      const { label } = widget.title;
      const free = async (): Promise<void> => {
        const what = __('Arrays: %1. Code that uses a freed array throws FreedError.', detail);
        if (await askToFree(__('Free the arrays of %1?', label), [what])) await this.#free(arrays);
        freed();
      };
      return [
        {
          icon: () => arraysIcon,
          label: () => label,
          labelTitle: () => `${sessionContext.path}\n${detail}`,
          detail: () => detail,
          open: () => this.#options.activate(widget.id),
          shutdown: () => void free()
        }
      ];
    });
  }

  /** Calls `listener` when a kernel's arrays may have changed. */
  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  /** Queries every kernel; returns whether any answer changed. */
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

  async #free(arrays: KernelArrays): Promise<void> {
    try {
      await arrays.request('free', {});
    } catch (reason) {
      Notification.error(reason instanceof Error ? reason.message : String(reason));
    }
  }
}

/** Queries the kernel; without an answer (busy, exited or of another kind) sums the known entries. */
async function summaryOf(arrays: KernelArrays): Promise<ArraysSummary> {
  try {
    return (await arrays.request('summary', {})) as unknown as ArraysSummary;
  } catch {
    const live = [...arrays.entries.values()].filter(({ state }) => state !== 'freed');
    return { arrays: live.length, bytes: bytesOf(live) };
  }
}
