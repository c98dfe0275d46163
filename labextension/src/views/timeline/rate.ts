/** How fast bytes moved, `12.5 GB/s`; empty where that is not known. Durations are microseconds. */
export function formatRate(bytes: number, duration: number): string {
  return bytes > 0 && duration > 0 ? `${Number((bytes / duration / 1000).toPrecision(4))} GB/s` : '';
}
