/** A file of rows under a header, begun anew by each program. */

import { appendFileSync, writeFileSync } from 'node:fs';

const ROWS_TO_WRITE = 1000;

export class LogFile {
  readonly #path: string;
  readonly #always: boolean;
  #rows: string[] = [];

  /** With `always`, each row is written at once. */
  constructor(path: string, header: string, always: boolean) {
    this.#path = path;
    this.#always = always;
    writeFileSync(path, `${header}\n`);
    process.once('exit', () => this.flush());
  }

  write(row: string): void {
    this.#rows.push(row);
    if (this.#always || this.#rows.length >= ROWS_TO_WRITE) this.flush();
  }

  flush(): void {
    if (this.#rows.length === 0) return;
    const text = `${this.#rows.join('\n')}\n`;
    this.#rows = [];
    appendFileSync(this.#path, text);
  }
}
