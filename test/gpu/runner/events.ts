/** A reporter of node:test: a line of JSON for each result, so that the results before a crash are known. */

import type { TestEvent } from 'node:test/reporters';

/** A result of a test or of a suite that is skipped or fails by itself; `done` after the last one. */
export type Line =
  | { readonly kind: 'passed'; readonly test: string }
  | { readonly kind: 'failed'; readonly test: string; readonly text: string }
  | { readonly kind: 'skipped'; readonly test: string; readonly text: string }
  | { readonly kind: 'done' };

type Result = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>;

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  /** Names from the outermost suite to the test whose results come next. */
  const path: string[] = [];
  for await (const event of events) {
    if (event.type === 'test:start') path.splice(event.data.nesting, Infinity, event.data.name);
    let line: Line | undefined;
    if (event.type === 'test:pass' || event.type === 'test:fail')
      line = lineOf(event, path.slice(0, event.data.nesting + 1).join(' > '));
    else if (event.type === 'test:summary') line = { kind: 'done' };
    if (line !== undefined) yield `${JSON.stringify(line)}\n`;
  }
}

function lineOf({ type, data }: Result, test: string): Line | undefined {
  if (type === 'test:fail') {
    const error: Error & { failureType?: string } = data.details.error;
    // The parts that failed have lines of their own.
    if (error.failureType === 'subtestsFailed') return undefined;
    return { kind: 'failed', test, text: error.cause instanceof Error ? error.cause.message : error.message };
  }
  const { skip = data.todo } = data;
  if (skip !== undefined && skip !== false)
    return { kind: 'skipped', test, text: typeof skip === 'string' ? skip : 'no reason is given' };
  return data.details.type === 'suite' ? undefined : { kind: 'passed', test };
}
