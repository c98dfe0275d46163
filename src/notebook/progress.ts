/** `progress`: a bar for a loop, or for work that says itself how far it is. */

import { progressView, type ProgressView } from './progress-view.ts';

export interface ProgressOptions {
  /** Items or steps there will be; known for what has a `length` or a `size`. */
  readonly total?: number | undefined;
  /** Stands before the bar. */
  readonly description?: string;
}

/** Drawn at most this often, and at the end. */
const PERIOD_MS = 100;

export class ProgressBar {
  readonly #view: ProgressView = progressView();
  readonly #start = performance.now();
  #total: number | undefined;
  #description: string;
  #count = 0;
  #ending: 'running' | 'done' | 'stopped' = 'running';
  #drawn = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ total, description = '' }: ProgressOptions = {}) {
    this.#total = total;
    this.#description = description;
    this.#draw();
  }

  get count(): number {
    return this.#count;
  }

  set count(count: number) {
    this.#count = count;
    this.#changed();
  }

  get total(): number | undefined {
    return this.#total;
  }

  set total(total: number | undefined) {
    this.#total = total;
    this.#changed();
  }

  get description(): string {
    return this.#description;
  }

  set description(text: string) {
    this.#description = text;
    this.#changed();
  }

  /** Goes on by `steps`. */
  tick(steps = 1): void {
    this.#count += steps;
    this.#changed();
  }

  /** Draws the end. Without a `total`, or with all of it done, the bar is full; otherwise it says that it was stopped. */
  finish(): void {
    if (this.#ending !== 'running') return;
    this.#ending = this.#total === undefined || this.#count >= this.#total ? 'done' : 'stopped';
    this.#draw();
  }

  [Symbol.dispose](): void {
    this.finish();
  }

  #changed(): void {
    if (this.#ending !== 'running') return;
    const wait = this.#drawn + PERIOD_MS - performance.now();
    if (wait <= 0) this.#draw();
    // A step that nothing follows is drawn too.
    else this.#timer ??= setTimeout(() => this.#draw(), wait).unref();
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drawn = performance.now();
    this.#view.show({
      count: this.#count,
      total: this.#total,
      description: this.#description,
      elapsed: (this.#drawn - this.#start) / 1_000,
      ending: this.#ending
    });
  }
}

/** The items one by one, with a bar that follows: `for (const file of progress(files))`. */
export function progress<Item>(items: Iterable<Item>, options?: ProgressOptions): Iterable<Item>;
export function progress<Item>(items: AsyncIterable<Item>, options?: ProgressOptions): AsyncIterable<Item>;
/** A bar to be told: `using bar = progress({ total: 10 }); bar.tick();` */
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
  const bar = new ProgressBar(options);
  try {
    for (const item of items) {
      yield item;
      bar.tick();
    }
  } finally {
    bar.finish();
  }
}

async function* followAsync<Item>(
  items: AsyncIterable<Item>,
  options: ProgressOptions
): AsyncGenerator<Item, void> {
  const bar = new ProgressBar(options);
  try {
    for await (const item of items) {
      yield item;
      bar.tick();
    }
  } finally {
    bar.finish();
  }
}

function sizeOf(items: object | string): number | undefined {
  if (typeof items === 'string') return undefined;
  const { length, size } = items as { length?: unknown; size?: unknown };
  if (typeof length === 'number') return length;
  return typeof size === 'number' ? size : undefined;
}
