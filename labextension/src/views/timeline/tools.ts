/** Tools of the timeline that are loaded on first use: details, keyboard selection, measurement, saving, and the other two tabs. */

import type { Frame } from '../kit/framed.ts';
import { createDetails } from './details.ts';
import { createMeasure } from './measure.ts';
import { readOlder } from './read-older.ts';
import type { Records } from './records.ts';
import { saveTrace } from './save.ts';
import { step } from './step.ts';
import { createTooltip } from './tooltip.ts';

export { createList } from './list.ts';
export { createSummary } from './summary.ts';

export function createTools(frame: Frame, records: Records, words: readonly string[]) {
  return {
    details: createDetails(frame, records, words),
    measure: createMeasure(),
    tooltip: createTooltip(frame.signal, records, words),
    readOlder,
    saveTrace,
    step
  };
}
