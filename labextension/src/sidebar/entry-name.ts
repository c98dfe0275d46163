/** Names of entries, apart from their order: commands need them before the panel is loaded. */

import type { ArrayEntry } from '../../../src/pictures/arrays/schema.ts';

/** The first name, by which a row is known. */
export function nameOf(entry: ArrayEntry): string {
  return entry.names[0] ?? '';
}
