/** Draws bars at the bottom of a terminal; other output scrolls above them. */

import type { WriteStream } from 'node:tty';

type Write = (text: string) => void;

export class TerminalBars {
  readonly #write: Write;
  readonly #stream: WriteStream;
  readonly #bars = new Map<object, string>();
  #drawn = 0;
  /** Undoes the interception of output; set while bars are shown. */
  #restore: (() => void) | undefined;

  constructor(stream: WriteStream) {
    this.#stream = stream;
    const { write } = stream;
    this.#write = text => void write.call(stream, text);
  }

  /** Draws the line of `bar`; with `over`, prints it above the others and forgets the bar. */
  set(bar: object, line: string, over: boolean): void {
    this.#erase();
    if (over) {
      this.#bars.delete(bar);
      this.#write(`${line}\n`);
    } else {
      this.#bars.set(bar, line.slice(0, Math.max(10, this.#stream.columns - 1)));
      this.#restore ??= this.#watchPrints();
    }
    this.#draw();
    if (this.#bars.size > 0) return;
    this.#restore?.();
    this.#restore = undefined;
  }

  #erase(): void {
    if (this.#drawn === 0) return;
    const up = this.#drawn > 1 ? `\x1b[${this.#drawn - 1}A` : '';
    this.#write(`\r${up}\x1b[J`);
    this.#drawn = 0;
  }

  #draw(): void {
    this.#write([...this.#bars.values()].join('\n'));
    this.#drawn = this.#bars.size;
  }

  #watchPrints(): () => void {
    const streams = [process.stdout, process.stderr];
    const undo = streams.map(stream => {
      const { write } = stream;
      stream.write = (chunk: string | Uint8Array, ...others: unknown[]): boolean => {
        this.#erase();
        const more = Reflect.apply(write, stream, [chunk, ...others]) as boolean;
        // An unfinished line continues in place; the bars are redrawn below it when it ends.
        if (chunk.at(-1) === '\n' || chunk.at(-1) === 10) this.#draw();
        return more;
      };
      return () => (stream.write = write);
    });
    return () => undo.forEach(restore => restore());
  }
}
