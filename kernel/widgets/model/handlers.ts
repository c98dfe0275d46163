/**
 * Functions that wait for something. One that the page calls puts out where it was added: its prints and errors appear
 * in that cell. One that a cell's own statement calls runs as part of that cell, and its error is the statement's.
 */

import { widgetHost, type CellContext } from './host.ts';

export type Cause = 'page' | 'cell';

interface Entry<Arguments extends readonly unknown[]> {
  readonly handler: (...parameters: Arguments) => unknown;
  readonly context: CellContext;
}

export class Handlers<Arguments extends readonly unknown[]> {
  #entries: readonly Entry<Arguments>[] = [];

  /** A handler that is there already is not added twice. */
  add(handler: (...parameters: Arguments) => unknown): void {
    if (this.#entries.some(entry => entry.handler === handler)) return;
    this.#entries = [...this.#entries, { handler, context: widgetHost().bindCell() }];
  }

  delete(handler: (...parameters: Arguments) => unknown): void {
    this.#entries = this.#entries.filter(entry => entry.handler !== handler);
  }

  /** Calls those that were there when it began; throws the first error of a cell's own call when all were called. */
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

/** Errors that are shown already, by what threw them on. */
const shown = new WeakSet<object>();

/** Says of an error that is about to be thrown on that nobody else needs to show it. */
export function noteShown(error: unknown): void {
  if (typeof error === 'object' && error !== null) shown.add(error);
}

/** Runs what nobody waits for; its error is shown in the cell that it belongs to. */
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
  // The same error may be thrown another time, and is shown then.
  if (typeof error === 'object' && error !== null && shown.delete(error)) return;
  widgetHost().reportError(error);
}
