/** Interval at which the lines are rewritten on a terminal, and at which a line is added elsewhere. */
const TERMINAL_MS = 1000;
const LOG_MS = 10_000;
const ERASE_BELOW = '\x1b[J';

/** @typedef {{ isTTY?: boolean, columns?: number | undefined, write: (text: string) => unknown }} Screen */

/** Reads the progress in the last output of Ninja ("[12/180] Building") or Make ("[  6%] Building"). @param {string} text @returns {number | undefined} percent */
export function percentOf(text) {
  const last = [...text.matchAll(/^\[ *(\d+)(?:\/(\d+)|%)\]/gm)].at(-1);
  if (last === undefined) return undefined;
  return last[2] === undefined ? Number(last[1]) : Math.floor((100 * Number(last[1])) / Number(last[2]));
}

/**
 * Returns a function that reads the output of a program, in pieces, and returns how many of its lines matched so far.
 * @param {RegExp} pattern
 * @returns {(text: string) => number}
 */
export function lineCounter(pattern) {
  let count = 0;
  let rest = '';
  return text => {
    const lines = (rest + text).split('\n');
    rest = /** @type {string} */ (lines.pop());
    count += lines.filter(line => pattern.test(line)).length;
    return count;
  };
}

/** The steps that run on a terminal, each with a line at its bottom. @type {Map<Screen, Set<Progress>>} */
const terminals = new Map();

/**
 * Rewrites the lines of the steps that run.
 * @param {Screen} terminal
 * @param {number} lines how many there are now
 * @param {string} [ended] the last line of a step, which stays above them
 */
function redraw(terminal, lines, ended = '') {
  const up = lines > 1 ? `\x1b[${lines - 1}A` : '';
  // A longer line would take two on the screen, and the next redraw would leave one of them.
  const width = (terminal.columns || 80) - 1;
  const rows = [...(terminals.get(terminal) ?? [])].map(step => step.line.slice(0, width));
  terminal.write(`\r${up}${ERASE_BELOW}${ended}${rows.join('\n')}`);
}

/**
 * Shows that a step is running: on a terminal a line that is rewritten each second, elsewhere a line every ten seconds. Several
 * steps may run at the same time.
 */
export class Progress {
  #doing;
  #stream;
  #start = performance.now();
  #detail = '';
  #timer;

  /**
   * @param {string} doing
   * @param {string} reason
   * @param {Screen} [stream]
   */
  constructor(doing, reason, stream = process.stdout) {
    this.#doing = doing;
    this.#stream = stream;
    if (stream.isTTY) {
      const running = terminals.get(stream) ?? new Set();
      const lines = running.size;
      terminals.set(stream, running.add(this));
      redraw(stream, lines);
    } else stream.write(`setup: ${doing} (${reason})\n`);
    this.#timer = setInterval(() => this.#show(), stream.isTTY ? TERMINAL_MS : LOG_MS);
  }

  get line() {
    return `setup: ${this.#doing}: ${this.#detail}${Math.round(this.#elapsed())} s`;
  }

  /** Sets what is shown before the time. @param {string} detail */
  at(detail) {
    this.#detail = `${detail}, `;
  }

  /** @param {boolean} succeeded */
  end(succeeded) {
    clearInterval(this.#timer);
    const verdict = `${succeeded ? 'took' : 'failed after'} ${this.#elapsed().toFixed(1)} s`;
    const ended = `setup: ${this.#doing}: ${verdict}\n`;
    const running = terminals.get(this.#stream);
    if (running === undefined) {
      this.#stream.write(ended);
      return;
    }
    const lines = running.size;
    running.delete(this);
    redraw(this.#stream, lines, ended);
  }

  #show() {
    if (this.#stream.isTTY) redraw(this.#stream, terminals.get(this.#stream)?.size ?? 0);
    else this.#stream.write(`${this.line} so far\n`);
  }

  #elapsed() {
    return (performance.now() - this.#start) / 1000;
  }
}
