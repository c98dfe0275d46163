/** Ranges of labels in the virtual time of simulated devices: from their first submission to their last. */

import type { TraceEvent } from './records.ts';

/** Duration of a submission in virtual time, in microseconds: one driver call. */
export const VIRTUAL_CALL = 1;

/** Maximum number of labels kept; the oldest are dropped. */
const MOST_LABELS = 65_536;

export class VirtualLabels {
  /** First and last submission by the label's id. */
  readonly #ranges = new Map<number, [first: number, last: number]>();

  note({ device, streamId, submitted, labels }: TraceEvent): void {
    if (device?.simulated !== true || streamId === null || submitted === null) return;
    for (const { id } of labels) {
      const [first, last] = this.#ranges.get(id) ?? [submitted, submitted];
      this.#ranges.set(id, [Math.min(first, submitted), Math.max(last, submitted)]);
    }
    for (const id of this.#ranges.keys()) {
      if (this.#ranges.size <= MOST_LABELS) return;
      this.#ranges.delete(id);
    }
  }

  clear(): void {
    this.#ranges.clear();
  }

  /** Returns the start and duration of a label; undefined if it submitted nothing to a simulated device. */
  of({ kind, labels }: TraceEvent): { readonly start: number; readonly duration: number } | undefined {
    const range = kind === 'label' ? this.#ranges.get(labels.at(-1)?.id ?? 0) : undefined;
    return range && { start: range[0], duration: range[1] - range[0] + VIRTUAL_CALL };
  }
}
