/** Formats counts in static texts, which are English. */

/** Formats a count and its noun: `1 array`, `2 arrays`. Pass `plural` if it is not formed with `s`. */
export function formatCounted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
