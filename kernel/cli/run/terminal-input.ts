/** Reads lines of this process's stdin for cells that ask for input: typed, or from a pipe. */

import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';

/** Discards the echo of a password. */
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

export class TerminalInput {
  /** The question that is open in the terminal. */
  #question: Interface | undefined;
  #lines: AsyncIterator<string> | undefined;

  /** Returns the answer; an empty text once stdin has ended, and after Ctrl-C. */
  async ask(prompt: string, password: boolean): Promise<string> {
    process.stderr.write(prompt);
    if (process.stdin.isTTY) return this.#typed(password);
    this.#lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const line = await this.#lines.next();
    return line.done === true ? '' : line.value;
  }

  close(): void {
    this.#question?.close();
    void this.#lines?.return?.();
    process.stdin.destroy();
  }

  #typed(password: boolean): Promise<string> {
    const output = password ? nowhere() : process.stderr;
    const question = createInterface({ input: process.stdin, output, terminal: true });
    this.#question = question;
    // While a line is edited, the terminal does not convert Ctrl-C to a signal.
    question.on('SIGINT', () => {
      question.close();
      process.kill(process.pid, 'SIGINT');
    });
    return new Promise(resolve => {
      question.once('line', line => {
        resolve(line);
        question.close();
        if (password) process.stderr.write('\n');
      });
      question.once('close', () => resolve(''));
    });
  }
}
