/** Answers `settle_request`: replies once all output of the cells that ran has been published. */

export class Settling {
  readonly #ask: (work: boolean) => void;
  readonly #checks: () => Promise<void>;
  #waiting: ((errors: number) => void)[] = [];

  /** Constructs it. `ask` has the executor, if it runs, send `settled`; `checks` waits for the type checks of all cells. */
  constructor(ask: (work: boolean) => void, checks: () => Promise<void>) {
    this.#ask = ask;
    this.#checks = checks;
  }

  /** With `work` it also waits for timers, processes and sockets. `errors` counts those outside of cells. */
  async settle(work: boolean): Promise<object> {
    const errors = new Promise<number>(resolve => this.#waiting.push(resolve));
    this.#ask(work);
    await this.#checks();
    return { status: 'ok', errors: await errors };
  }

  /** Called when the executor has settled or exited. */
  heard(errors: number): void {
    for (const tell of this.#waiting.splice(0)) tell(errors);
  }
}
