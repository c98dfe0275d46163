/** Answers `settle_request`: replies once nothing of the cells that ran is still to be shown. */

export class Settling {
  readonly #ask: (work: boolean) => void;
  readonly #checks: () => Promise<void>;
  #waiting: ((errors: number) => void)[] = [];

  /** `ask` has the executor, where there is one, send a `settled`; `checks` waits for the types of all cells. */
  constructor(ask: (work: boolean) => void, checks: () => Promise<void>) {
    this.#ask = ask;
    this.#checks = checks;
  }

  /** `work`: also timers, programs and sockets. `errors` counts those that no cell waited for. */
  async settle(work: boolean): Promise<object> {
    const errors = new Promise<number>(resolve => this.#waiting.push(resolve));
    this.#ask(work);
    await this.#checks();
    return { status: 'ok', errors: await errors };
  }

  /** The executor is done, or gone. */
  heard(errors: number): void {
    for (const tell of this.#waiting.splice(0)) tell(errors);
  }
}
