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

export type RunningArrays = ReturnType<typeof createRunningArrays>;

/** Creates the items. `activate` shows the widget with an id; `changed` is called when a kernel's arrays may have changed. */
export function createRunningArrays(
  pool: KernelArraysPool,
  activate: (id: string) => void,
  changed: () => void
) {
  const summaries = new Map<KernelArrays, ArraysSummary>();
  const followed = new WeakSet<KernelArrays>();

  const findHolders = (): Map<KernelArrays, Source> => {
    const holders = new Map<KernelArrays, Source>();
    for (const source of pool.sources.all()) {
      const arrays = pool.of(source);
      if (arrays === null || holders.has(arrays)) continue;
      holders.set(arrays, source);
      if (!followed.has(arrays)) arrays.changed.connect(changed);
      followed.add(arrays);
    }
    return holders;
  };
  const free = async (arrays: KernelArrays): Promise<void> => {
    try {
      await arrays.request('free', {});
    } catch (reason) {
      Notification.error(reason instanceof Error ? reason.message : String(reason));
    }
  };

  return {
    /** Lists notebooks and consoles whose kernel holds memory, each kernel once. `freed` is called after arrays of one were freed. */
    items(freed: () => void): IRunningSessions.IRunningItem[] {
      return [...findHolders()].flatMap(([arrays, { widget, sessionContext }]) => {
        const summary = summaries.get(arrays);
        if (summary === undefined || summary.arrays === 0) return [];
        const detail = `${countOf(summary.arrays)} · ${formatBytes(summary.bytes)}`;
        const { label } = widget.title;
        const ask = async (): Promise<void> => {
          const what = __('Arrays: %1. Code that uses a freed array throws FreedError.', detail);
          if (await askToFree(__('Free the arrays of %1?', label), [what])) await free(arrays);
          freed();
        };
        return {
          icon: () => arraysIcon,
          label: () => label,
          labelTitle: () => `${sessionContext.path}\n${detail}`,
          detail: () => detail,
          open: () => activate(widget.id),
          shutdown: () => void ask()
        };
      });
    },
    /** Queries every kernel; returns whether any answer changed. */
    async ask(): Promise<boolean> {
      const holders = findHolders();
      let isNew = false;
      for (const known of summaries.keys()) if (!holders.has(known)) isNew = summaries.delete(known);
      const questions = [...holders.keys()].map(async arrays => {
        const before = summaries.get(arrays);
        const summary = await summaryOf(arrays);
        summaries.set(arrays, summary);
        if (before?.arrays !== summary.arrays || before.bytes !== summary.bytes) isNew = true;
      });
      await Promise.all(questions);
      return isNew;
    },
    async freeAll(): Promise<void> {
      await Promise.all([...summaries.keys()].map(free));
    }
  };
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
