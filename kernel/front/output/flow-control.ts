/**
 * Keeps cells from putting out more than clients take: the executor's output is not read for a while, and its writes
 * then wait. Two things are watched: bytes that subscribers have yet to take, and the number of messages, of which
 * Jupyter's server drops what goes beyond 1,000 per second, counted over 3 seconds and from 0 after each idle status.
 */

/** Bytes. */
const BACKLOG_HIGH = 16_777_216;
const BACKLOG_LOW = 4_194_304;
/** Messages that may leave at once, and each second after them: below 3,000 within any 3 seconds. */
const MESSAGES_AT_ONCE = 900;
const MESSAGES_PER_SECOND = 690;
/** Messages that are saved up before reading goes on. */
const MESSAGES_RESUMED = 70;
/** Time for which an interrupted cell may go on writing, to come to where it can be stopped. */
const LET_THROUGH_MS = 1_000;

/** Messages that the server does not count. */
const UNCOUNTED: ReadonlySet<string> = new Set(['status', 'comm_open', 'execute_input']);

export class FlowControl {
  readonly #pause: (paused: boolean) => void;
  #paused = false;
  #backlog = 0;
  #overfull = false;
  #messages = MESSAGES_AT_ONCE;
  #counted = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #letThroughUntil = 0;

  /** `pause` is called with true to stop reading and with false to continue. */
  constructor(pause: (paused: boolean) => void) {
    this.#pause = pause;
  }

  /** Bytes that wait to be sent. */
  set backlog(bytes: number) {
    this.#backlog = bytes;
    this.#decide();
  }

  published(type: string): void {
    if (UNCOUNTED.has(type)) return;
    this.#messages -= 1;
    if (this.#messages < 0) this.#decide();
  }

  /** The server restarts its count. */
  idle(): void {
    this.#messages = MESSAGES_AT_ONCE;
    this.#counted = performance.now();
    this.#decide();
  }

  /** Whoever waits to write must get on. */
  letThrough(): void {
    this.#letThroughUntil = performance.now() + LET_THROUGH_MS;
    this.#decide();
  }

  #decide(): void {
    this.#overfull = this.#backlog > (this.#overfull ? BACKLOG_LOW : BACKLOG_HIGH);
    const now = performance.now();
    if (this.#messages < MESSAGES_RESUMED) this.#saveUp(now);
    const rushed = this.#messages < (this.#paused ? MESSAGES_RESUMED : 0);
    const paused = (this.#overfull || rushed) && now >= this.#letThroughUntil;
    if (rushed || now < this.#letThroughUntil)
      this.#timer ??= setTimeout(() => this.#timedOut(), 100).unref();
    if (paused === this.#paused) return;
    this.#paused = paused;
    this.#pause(paused);
  }

  #timedOut(): void {
    this.#timer = undefined;
    this.#decide();
  }

  #saveUp(now: number): void {
    const saved = ((now - this.#counted) / 1_000) * MESSAGES_PER_SECOND;
    this.#messages = Math.min(MESSAGES_AT_ONCE, this.#messages + saved);
    this.#counted = now;
  }
}
