/**
 * The running cell's number and the request to stop it. Both are in one shared word, so that an interrupt which arrives as its cell ends cannot
 * stop the next one. The lowest bit, which native waits poll, is the request. The other bits are the number, as the front counts cells.
 */

const STOP = 1;

export class RunningCell {
  readonly word: Int32Array<SharedArrayBuffer>;

  /** Constructs the state over the shared word, or over a new one, before the first cell. */
  constructor(word = new Int32Array(new SharedArrayBuffer(4))) {
    this.word = word;
  }

  get number(): number {
    return Atomics.load(this.word, 0) >> 1;
  }

  /** Whether the running cell has been asked to stop. */
  get isAsked(): boolean {
    return (Atomics.load(this.word, 0) & STOP) !== 0;
  }

  /** Begins the next cell, on the main thread. */
  begin(): void {
    Atomics.store(this.word, 0, (this.number + 1) << 1);
  }

  /** Asks this cell to stop, and wakes native waits. Returns false if another cell runs. */
  askToStop(cell: number): boolean {
    const running = cell << 1;
    const found = Atomics.compareExchange(this.word, 0, running, running | STOP);
    Atomics.notify(this.word, 0);
    return (found & ~STOP) === running;
  }

  /** Withdraws the request to stop. */
  withdraw(): void {
    Atomics.and(this.word, 0, ~STOP);
  }
}
