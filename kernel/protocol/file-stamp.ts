import { statSync, type Stats } from 'node:fs';

/** Changes whenever a file does; empty for what is not there, and for what `counts` leaves out. */
export function fileStamp(path: string, counts: (stats: Stats) => boolean = () => true): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && counts(stats) ? `${stats.mtimeMs}:${stats.size}:${stats.ino}` : '';
}
