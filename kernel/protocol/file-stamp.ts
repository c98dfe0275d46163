import { statSync, type Stats } from 'node:fs';

/** Returns a string that changes whenever the file does; empty if it does not exist or `counts` rejects it. */
export function fileStamp(path: string, counts: (stats: Stats) => boolean = () => true): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && counts(stats) ? `${stats.mtimeMs}:${stats.size}:${stats.ino}` : '';
}
