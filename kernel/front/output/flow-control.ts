/** Pauses reading of the executor, whose writes then block, while clients are behind: by bytes, or by number of messages. */

/** Limits of the backlog in bytes: pause above the first, resume below the second. */
const BACKLOG_HIGH = 16_777_216;
const BACKLOG_LOW = 4_194_304;
/** Messages in a burst, and the rate after it: Jupyter's server drops those above 3,000 in 3 seconds, counted from each idle status. */
const MESSAGES_AT_ONCE = 900;
const MESSAGES_PER_SECOND = 690;
/** Allowance of messages at which reading resumes. */
const MESSAGES_RESUMED = 70;
/** Time for which an interrupted cell may continue to write, to reach a point where it can be stopped. */
const LET_THROUGH_MS = 1_000;

/** Types of messages that the server does not count. */
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

  /** Constructs the control. `pause` is called with true to stop reading and with false to continue. */
  constructor(pause: (paused: boolean) => void) {
    this.#pause = pause;
  }

  /** Number of bytes waiting to be sent. */
  set backlog(bytes: number) {
    this.#backlog = bytes;
    this.#decide();
  }

  published(type: string): void {
    if (UNCOUNTED.has(type)) return;
    this.#messages -= 1;
    if (this.#messages < 0) this.#decide();
  }

  /** Called on an idle status, at which the server restarts its count. */
  idle(): void {
    this.#messages = MESSAGES_AT_ONCE;
    this.#counted = performance.now();
    this.#decide();
  }

  /** Resumes reading for a while, so that blocked writers continue. */
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
