/** Formats amounts of memory, for every picture, text and message. Pure: the page uses it too. */

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats bytes with a binary unit: exact up to 10 KiB (`48 B`, `8000 B`, `4 KiB`), then at most one decimal: `195.5 KiB`, `2 GiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let power = 0;
  while (value >= 1024 && power < UNITS.length - 1 && (bytes >= 10_240 || bytes % 1024 === 0)) {
    value /= 1024;
    power++;
  }
  return `${Number(value.toFixed(1))} ${UNITS[power]}`;
}
