/** An output area that shows what callbacks print and display. */

import { display, type PendingDisplay } from '../../../src/notebook/display.ts';
import { noteShown } from '../model/handlers.ts';
import { widgetHost, type CellOutput } from '../model/host.ts';
import { flushSync } from '../model/sync-queue.ts';
import { widgetClass } from '../model/widget-class.ts';
import type { WidgetOptions } from '../model/widget.ts';
import * as specs from './output.generated.ts';
import { OutputLog } from './output-log.ts';

/** Interval of updates of the page, in ms; each sends all outputs. */
const PERIOD_MS = 50;
/** Characters that lengthen the interval by a millisecond. */
const CHARACTERS_PER_MS = 5_000;

/**
 * An output area. It shows what the work of `capture` prints and displays, also after awaits, in timers and in handlers that the work adds.
 * Its outputs are part of the widget's state, so they survive a reload of the page.
 */
export class Output extends widgetClass(specs.outputSpec) {
  readonly #log = new OutputLog();
  readonly #sink: string;
  #timer: NodeJS.Timeout | undefined;
  #sent = -Infinity;

  constructor(options?: WidgetOptions<specs.OutputProperties>) {
    super(options);
    this.#sink = `output ${this.model_id}`;
    widgetHost().addSink(this.#sink, output => this.#take(output));
    this.on('close', () => {
      clearTimeout(this.#timer);
      widgetHost().removeSink(this.#sink);
    });
  }

  /** Runs `work` with its output in this widget, and returns its result. Errors are shown in the widget and rethrown. */
  capture<Result>(work: () => Result): Result {
    const host = widgetHost();
    const failed = (error: unknown): never => {
      host.redirect(this.#sink, () => host.reportError(error));
      noteShown(error);
      this.#publish();
      throw error;
    };
    const done = <Value>(value: Value): Value => {
      host.flushOutput();
      this.#publish();
      return value;
    };
    // Text printed earlier belongs to the cell.
    host.flushOutput();
    try {
      const result = host.redirect(this.#sink, work);
      return result instanceof Promise ? (result.then(done, failed) as Result) : done(result);
    } catch (error) {
      return failed(error);
    }
  }

  /** Shows a value in this widget. */
  display(value: unknown): PendingDisplay {
    return this.capture(() => display(value));
  }

  /** Appends text as standard output. */
  append_stdout(text: string): void {
    this.#take({ type: 'stream', content: { name: 'stdout', text } });
  }

  /** Appends text as standard error. */
  append_stderr(text: string): void {
    this.#take({ type: 'stream', content: { name: 'stderr', text } });
  }

  /** Clears the output, immediately or, to avoid flicker, when new output arrives. */
  clear_output({ wait = false }: { readonly wait?: boolean } = {}): void {
    this.#take({ type: 'clear_output', content: { wait } });
  }

  /** Carries out a postponed `clear_output` if no new output arrived. */
  settle(): void {
    if (this.#log.settle()) this.#publish();
  }

  #take({ type, content }: CellOutput): boolean {
    // The page's output area has no results.
    const shown = type === 'execute_result' ? 'display_data' : type;
    if (!this.#log.take({ type: shown, content })) return false;
    const period = PERIOD_MS + this.#log.size / CHARACTERS_PER_MS;
    const wait = this.#sent + period - performance.now();
    if (wait <= 0) this.#publish();
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.#publish(), wait);
      this.#timer.unref();
    }
    return true;
  }

  #publish(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.closed) return;
    this.#sent = performance.now();
    this.outputs = this.#log.items;
    flushSync();
  }
}
