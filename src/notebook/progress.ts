/** Progress bars for loops, and for work that reports its own progress: `progress`. */

import { progressView, type ProgressState, type ProgressView } from './progress-view.ts';

/** Options of `progress`. */
export interface ProgressOptions {
  /** The number of items or steps; known for values with a `length` or a `size`. */
  readonly total?: number | undefined;
  /** The text before the bar. */
  readonly description?: string;
}

/** The minimum interval between two drawings, in ms; the final state is always drawn. */
const PERIOD_MS = 100;

/** A progress bar that the program advances. */
export class ProgressBar {
  readonly #view: ProgressView = progressView();
  readonly #start = performance.now();
  readonly #state: { -readonly [Name in keyof ProgressState]: ProgressState[Name] };
  #drawn = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ total, description = '' }: ProgressOptions = {}) {
    this.#state = { count: 0, total, description, elapsed: 0, ending: 'running' };
    this.#draw();
  }

  /** The number of steps done. */
  get count(): number {
    return this.#state.count;
  }

  set count(count: number) {
    this.#state.count = count;
    this.#changed();
  }

  /** The total number of steps; undefined if unknown. */
  get total(): number | undefined {
    return this.#state.total;
  }

  set total(total: number | undefined) {
    this.#state.total = total;
    this.#changed();
  }

  /** The text before the bar. */
  get description(): string {
    return this.#state.description;
  }

  set description(description: string) {
    this.#state.description = description;
    this.#changed();
  }

  /** Advances the bar by `steps`. */
  tick(steps = 1): void {
    this.count += steps;
  }

  /** Draws the final state: full if all steps are done or `total` is unknown, otherwise marked as stopped. */
  finish(): void {
    const { count, total, ending } = this.#state;
    if (ending !== 'running') return;
    this.#state.ending = total === undefined || count >= total ? 'done' : 'stopped';
    this.#draw();
  }

  [Symbol.dispose](): void {
    this.finish();
  }

  #changed(): void {
    if (this.#state.ending !== 'running') return;
    const wait = this.#drawn + PERIOD_MS - performance.now();
    if (wait <= 0) this.#draw();
    // Draws a last step even if no other follows.
    else this.#timer ??= setTimeout(() => this.#draw(), wait).unref();
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drawn = performance.now();
    this.#state.elapsed = (this.#drawn - this.#start) / 1_000;
    this.#view(this.#state);
  }
}

/** Shows a progress bar that each item advances: `for (const file of progress(files))`. */
export function progress<Item>(items: Iterable<Item>, options?: ProgressOptions): Iterable<Item>;
export function progress<Item>(items: AsyncIterable<Item>, options?: ProgressOptions): AsyncIterable<Item>;
/** Shows a progress bar that the program advances: `using bar = progress({ total: 10 }); bar.tick();` */
export function progress(options?: ProgressOptions): ProgressBar;
export function progress<Item>(
  items: Iterable<Item> | AsyncIterable<Item> | ProgressOptions = {},
  options: ProgressOptions = {}
): Iterable<Item> | AsyncIterable<Item> | ProgressBar {
  if (typeof items === 'object' && Symbol.asyncIterator in items)
    return { [Symbol.asyncIterator]: () => followAsync(items, options) };
  if (typeof items === 'string' || Symbol.iterator in items) {
    const settings = { total: sizeOf(items), ...options };
    return { [Symbol.iterator]: () => follow(items, settings) };
  }
  return new ProgressBar(items);
}

function* follow<Item>(items: Iterable<Item>, options: ProgressOptions): Generator<Item, void> {
  using bar = new ProgressBar(options);
  for (const item of items) {
    yield item;
    bar.tick();
  }
}

async function* followAsync<Item>(
  items: AsyncIterable<Item>,
  options: ProgressOptions
): AsyncGenerator<Item, void> {
  using bar = new ProgressBar(options);
  for await (const item of items) {
    yield item;
    bar.tick();
  }
}

function sizeOf(items: object | string): number | undefined {
  if (typeof items === 'string') return undefined;
  const { length, size } = items as { length?: unknown; size?: unknown };
  if (typeof length === 'number') return length;
  return typeof size === 'number' ? size : undefined;
}
