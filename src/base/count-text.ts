/** Counts in static texts, which are English. */

/** `1 array`, `2 arrays`; `plural` where an `s` does not make it. */
export function formatCounted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
