/** The notebook that a run writes: repeatedly while cells run, so that a run that is killed keeps its outputs. */

import { refuseUnwritable, writeNotebook, type Notebook } from './notebook-file.ts';

/** Shortest time between two writes, in ms. */
const PERIOD_MS = 1_000;
/** A large notebook is written less often: the pause is at least this many times as long as the last write took. */
const PAUSE = 20;

export class OutputFile {
  readonly path: string;
  readonly #content: () => Notebook;
  #timer: NodeJS.Timeout | undefined;
  /** Time of the next write at the earliest. */
  #next = 0;

  /** `content` returns the notebook as it is now. @throws CommandFailure if the file could not be written */
  constructor(path: string, content: () => Notebook) {
    refuseUnwritable(path);
    this.path = path;
    this.#content = content;
  }

  /** Writes the changed notebook soon. */
  changed(): void {
    this.#timer ??= setTimeout(() => this.#update(), Math.max(0, this.#next - performance.now()));
  }

  /** Writes the notebook a last time. @throws CommandFailure */
  close(): void {
    clearTimeout(this.#timer);
    writeNotebook(this.path, this.#content());
  }

  #update(): void {
    this.#timer = undefined;
    const begun = performance.now();
    try {
      writeNotebook(this.path, this.#content());
    } catch {
      // A full disk may have room later; `close` reports the fault otherwise.
    }
    const end = performance.now();
    this.#next = end + Math.max(PERIOD_MS, PAUSE * (end - begun));
  }
}
