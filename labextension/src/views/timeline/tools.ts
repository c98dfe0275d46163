/** Tools loaded on first use: details, selection, measurement, the list and saving. */

export { createDetails } from './details.ts';
export { createList } from './list.ts';
export { createMeasure } from './measure.ts';
export { readOlder } from './read-older.ts';
export { saveTrace } from './save.ts';
export { step } from './step.ts';
export { createSummary } from './summary.ts';
export { createTooltip } from './tooltip.ts';
