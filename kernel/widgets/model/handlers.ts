/**
 * Lists of event handlers. Output of a handler that the page triggers, errors included, appears in the cell that added
 * it. A handler that a cell's own statement triggers runs as part of that cell, and the statement throws its error.
 */

import { widgetHost, type CellContext } from './host.ts';

export type Cause = 'page' | 'cell';

interface Entry<Arguments extends readonly unknown[]> {
  readonly handler: (...parameters: Arguments) => unknown;
  readonly context: CellContext;
}

export class Handlers<Arguments extends readonly unknown[]> {
  #entries: readonly Entry<Arguments>[] = [];

  /** Adds a handler; one that is already in the list is not added twice. */
  add(handler: (...parameters: Arguments) => unknown): void {
    if (this.#entries.some(entry => entry.handler === handler)) return;
    this.#entries = [...this.#entries, { handler, context: widgetHost().bindCell() }];
  }

  delete(handler: (...parameters: Arguments) => unknown): void {
    this.#entries = this.#entries.filter(entry => entry.handler !== handler);
  }

  /** Calls the handlers present at the start; for a cell's own call, throws the first error after all were called. */
  call(cause: Cause, ...parameters: Arguments): void {
    const errors: unknown[] = [];
    for (const { handler, context } of this.#entries) {
      const run = (): unknown => handler(...parameters);
      if (cause === 'page') context(() => reportFailure(run));
      else
        try {
          reportRejection(run());
        } catch (error) {
          errors.push(error);
        }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/** Errors that were already shown and are about to be rethrown. */
const shown = new WeakSet<object>();

/** Records that an error about to be rethrown was already shown. */
export function noteShown(error: unknown): void {
  if (typeof error === 'object' && error !== null) shown.add(error);
}

/** Runs a function whose result is not awaited; its error is shown in the cell that it belongs to. */
export function reportFailure(run: () => unknown): void {
  try {
    reportRejection(run());
  } catch (error) {
    report(error);
  }
}

function reportRejection(result: unknown): void {
  if (result instanceof Promise) result.catch(report);
}

function report(error: unknown): void {
  // The error may be thrown again later, and is then shown.
  if (typeof error === 'object' && error !== null && shown.delete(error)) return;
  widgetHost().reportError(error);
}
