/** What is not needed to look at the timeline: loaded when somebody first chooses, measures, lists or saves. */

export { createDetails } from './details.ts';
export { createList } from './list.ts';
export { createMeasure } from './measure.ts';
export { readOlder } from './read-older.ts';
export { saveTrace } from './save.ts';
export { step } from './step.ts';
