/** Interval at which the line is rewritten on a terminal, and at which a line is added elsewhere. */
const TERMINAL_MS = 1000;
const LOG_MS = 10_000;
const ERASE_LINE = '\r\x1b[K';

/** Reads the progress in the last output of Ninja ("[12/180] Building") or Make ("[  6%] Building"). @param {string} text @returns {number | undefined} percent */
export function percentOf(text) {
  const last = [...text.matchAll(/^\[ *(\d+)(?:\/(\d+)|%)\]/gm)].at(-1);
  if (last === undefined) return undefined;
  return last[2] === undefined ? Number(last[1]) : Math.floor((100 * Number(last[1])) / Number(last[2]));
}

/**
 * Shows that a step is running: on a terminal one line that is rewritten each second, elsewhere a line every ten seconds.
 */
export class Progress {
  #doing;
  #stream;
  #start = performance.now();
  /** @type {number | undefined} */
  #percent;
  #timer;

  /**
   * @param {string} doing
   * @param {string} reason
   * @param {{ isTTY?: boolean, write: (text: string) => unknown }} [stream]
   */
  constructor(doing, reason, stream = process.stdout) {
    this.#doing = doing;
    this.#stream = stream;
    if (stream.isTTY) this.#show();
    else stream.write(`setup: ${doing} (${reason})\n`);
    this.#timer = setInterval(() => this.#show(), stream.isTTY ? TERMINAL_MS : LOG_MS);
  }

  /** Reads the output of a build. @param {string} text */
  read(text) {
    this.#percent = percentOf(text) ?? this.#percent;
  }

  /** @param {boolean} succeeded */
  end(succeeded) {
    clearInterval(this.#timer);
    const time = `${((performance.now() - this.#start) / 1000).toFixed(1)} s`;
    const verdict = succeeded ? `took ${time}` : `failed after ${time}`;
    this.#stream.write(
      this.#stream.isTTY ? `${ERASE_LINE}setup: ${this.#doing}: ${verdict}\n` : `setup: ${verdict}\n`
    );
  }

  #show() {
    const seconds = Math.round((performance.now() - this.#start) / 1000);
    const share = this.#percent === undefined ? '' : ` ${this.#percent} %,`;
    if (this.#stream.isTTY) this.#stream.write(`${ERASE_LINE}setup: ${this.#doing}:${share} ${seconds} s`);
    else this.#stream.write(`setup: ${this.#doing}:${share} ${seconds} s so far\n`);
  }
}
