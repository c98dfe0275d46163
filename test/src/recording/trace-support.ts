/** What tests of the trace share. */

import { attachNotebookHost, Stream, trace, type TraceEvent } from '../../../src/index.ts';
import { toDevice } from '../../../src/core/device.ts';

export const sim = { device: 'sim:0' } as const;
export const on = (): Stream => new Stream(sim);
export const ofKind = (...kinds: string[]): TraceEvent[] =>
  trace.read().events.filter(event => kinds.includes(event.kind));
export const namesOf = (event: TraceEvent | undefined): string[] | undefined =>
  event?.labels.map(({ text }) => text);

/** Nothing of one test is in the trace of the next, where each disposes of its arrays: an end by the collector is a record too. */
export function tracesApart(): void {
  beforeEach(() => toDevice('sim:0').synchronize());
  afterEach(() => {
    trace.stop();
    trace.clear();
    attachNotebookHost(undefined);
  });
}
