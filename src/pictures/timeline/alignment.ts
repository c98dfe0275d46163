/** How well the clocks of workers are aligned in one timeline, as a sentence. Pure. */

import { formatCounted } from '../../base/count-text.ts';
import { formatDuration } from '../../base/time-text.ts';

/** Describes the alignment: `Clocks of 2 workers aligned to ± 12 µs.` */
export function alignmentText(
  clocks: readonly { readonly error: number }[],
  missing: readonly string[]
): string {
  const error = Math.max(0, ...clocks.map(clock => clock.error));
  const lost = missing.length === 0 ? '' : ` Records of ${missing.join(', ')} are missing.`;
  return `Clocks of ${formatCounted(clocks.length, 'worker')} aligned to ± ${formatDuration(error)}.${lost}`;
}
