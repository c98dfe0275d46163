/** The console for cells: Node's, with colours, `%c`, tables that pages render, and traces in cell coordinates. */

import { Console } from 'node:console';
import type { Writable } from 'node:stream';
import { formatWithOptions } from 'node:util';
import { notebookHost } from '../../../../src/notebook/host.ts';
import { tableBundle } from '../../../../src/notebook/table.ts';
import { publish } from '../../front/publish.ts';
import { withCssColors } from './css-colors.ts';

const TABLE_ROWS = 200;

export class CellConsole extends Console {
  /** The class of consoles, which libraries take from the global console. */
  override readonly Console = Console;

  constructor(stdout: Writable, stderr: Writable, colors: boolean) {
    // Node's console guards every line against stream errors, which these streams never have.
    super({ stdout, stderr, ignoreErrors: false, colorMode: colors });
  }

  /** Clears the cell's output as soon as new output replaces it, which does not flicker. */
  override clear(): void {
    publish('clear_output', { wait: true });
  }

  /** Displays a table, with plain text as a fallback. If `properties` are given, only these are shown. */
  override table(tabular: unknown, properties?: readonly string[]): void {
    if (typeof tabular !== 'object' || tabular === null) {
      this.log(tabular);
      return;
    }
    const options = { rows: TABLE_ROWS, ...(properties !== undefined && { columns: properties }) };
    publish('display_data', { data: tableBundle(tabular, options), metadata: {}, transient: {} });
  }

  /** Prints a trace of the user's frames; without any, only the message. */
  override trace(...values: unknown[]): void {
    const place: { stack?: string } = {};
    Error.captureStackTrace(place, CellConsole.prototype.trace);
    const message = values.length === 0 ? '' : `: ${formatWithOptions({}, ...withCssColors(values))}`;
    const frames = notebookHost()?.showStack?.(place.stack ?? '') ?? [];
    super.error(`Trace${message}${frames.map(frame => `\n    ${frame}`).join('')}`);
  }
}

for (const level of ['log', 'info', 'debug', 'warn', 'error'] as const) {
  CellConsole.prototype[level] = function (this: CellConsole, ...values: unknown[]): void {
    Console.prototype[level].apply(this, withCssColors(values));
  };
}
