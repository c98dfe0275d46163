/** Changes and events as async iterables. */

/** An iterable fed from outside; closing it ends a pending wait. */
export class Feed<Value> implements AsyncIterableIterator<Value> {
  readonly #combine: ((waiting: Value, next: Value) => Value) | undefined;
  readonly #ended: () => void;
  readonly #values: Value[] = [];
  #readers: ((result: IteratorResult<Value, undefined>) => void)[] = [];
  #closed = false;

  /** Constructs the feed. `combine` merges values that arrive while no consumer waits; without it, all are queued. */
  constructor(ended: () => void, combine?: (waiting: Value, next: Value) => Value) {
    this.#ended = ended;
    this.#combine = combine;
  }

  push(value: Value): void {
    if (this.#closed) return;
    const reader = this.#readers.shift();
    const last = this.#values.at(-1);
    if (reader !== undefined) reader({ done: false, value });
    else if (this.#combine !== undefined && last !== undefined)
      this.#values[this.#values.length - 1] = this.#combine(last, value);
    else this.#values.push(value);
  }

  /** Ends the feed; queued values are still delivered. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#ended();
    for (const reader of this.#readers) reader({ done: true, value: undefined });
    this.#readers = [];
  }

  next(): Promise<IteratorResult<Value, undefined>> {
    const value = this.#values.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#closed) return Promise.resolve({ done: true, value: undefined });
    return new Promise(resolve => this.#readers.push(resolve));
  }

  return(): Promise<IteratorResult<Value, undefined>> {
    this.#values.length = 0;
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.return().then(() => undefined);
  }
}
