/** Numbers as the inspector writes them. */

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Bytes with a binary unit, at most one decimal: `48 B`, `1.5 KiB`, `2 GiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 'B';
  for (const larger of UNITS) {
    if (value < 1024) break;
    value /= 1024;
    unit = larger;
  }
  return `${Number(value.toFixed(1))} ${unit}`;
}

/** A count with the digit groups of the reader's language: `2,097,152`. */
export function formatCount(count: number): string {
  return count.toLocaleString();
}
