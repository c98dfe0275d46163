/** Names of entries, in a separate file because commands need them before the panel is loaded. */

import type { ArrayEntry } from '../../../src/pictures/arrays/schema.ts';

/** Returns the first name, which identifies a row. */
export function nameOf(entry: ArrayEntry): string {
  return entry.names[0] ?? '';
}
