/** Formats a transfer rate, `12.5 GB/s`; empty if it is unknown. Durations are microseconds. */
export function formatRate(bytes: number, duration: number): string {
  return bytes > 0 && duration > 0 ? `${Number((bytes / duration / 1000).toPrecision(4))} GB/s` : '';
}
