/** Event handlers by name. If the page triggers one, its output appears in the cell that added it; if a cell does, its errors are thrown. */

import { widgetHost, type CellContext } from './host.ts';

export type Cause = 'page' | 'cell';

interface Entry<Arguments extends readonly unknown[]> {
  readonly name: string;
  readonly handler: (...parameters: Arguments) => unknown;
  readonly context: CellContext;
}

export class Handlers<Arguments extends readonly unknown[]> {
  #entries: readonly Entry<Arguments>[] = [];

  /** Adds a handler, unless the name already has it. */
  add(name: string, handler: (...parameters: Arguments) => unknown): void {
    if (this.#entries.some(entry => entry.name === name && entry.handler === handler)) return;
    this.#entries = [...this.#entries, { name, handler, context: widgetHost().bindCell() }];
  }

  delete(name: string, handler: (...parameters: Arguments) => unknown): void {
    this.#entries = this.#entries.filter(entry => entry.name !== name || entry.handler !== handler);
  }

  /** Removes all handlers and returns them. */
  clear(): Handlers<Arguments> {
    const removed = new Handlers<Arguments>();
    removed.#entries = this.#entries;
    this.#entries = [];
    return removed;
  }

  /** Calls the handlers present at the start; for a cell's own call, throws the first error after all were called. */
  call(cause: Cause, called: string, ...parameters: Arguments): void {
    const errors: unknown[] = [];
    for (const { name, handler, context } of this.#entries) {
      if (name !== called) continue;
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
