/** Shared by tests of the trace. */

import { attachNotebookHost, Stream, trace, type TraceEvent } from '../../../src/index.ts';
import { toDevice } from '../../../src/core/device.ts';

export const sim = { device: 'sim:0' } as const;
export const on = (): Stream => new Stream(sim);
export const ofKind = (...kinds: string[]): TraceEvent[] =>
  trace.read().events.filter(event => kinds.includes(event.kind));
export const namesOf = (event: TraceEvent | undefined): string[] | undefined =>
  event?.labels.map(({ text }) => text);

/** Clears the trace between tests, each of which disposes its arrays: a collected array adds a record too. */
export function tracesApart(): void {
  beforeEach(() => toDevice('sim:0').synchronize());
  afterEach(() => {
    trace.stop();
    trace.clear();
    attachNotebookHost(undefined);
  });
}
