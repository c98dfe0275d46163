/** Reads lines from the terminal or a pipe, for plain programs. */

import { readSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';

import { StdinClosedError } from './stdin-errors.ts';

const STDIN_FD = 0;
const NEWLINE = 10;

/** The program's only reader: a second one would miss the lines that the first has buffered. */
class Terminal {
  readonly #interface: Interface;
  readonly #lines: string[] = [];
  readonly #waiting: PromiseWithResolvers<string>[] = [];
  #echo = true;
  #closed = false;

  constructor() {
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (this.#echo) process.stdout.write(chunk);
        done();
      }
    });
    this.#interface = createInterface({ input: process.stdin, output, terminal: isatty(STDIN_FD) });
    this.#interface.on('line', line => this.#take(line));
    this.#interface.on('close', () => this.#close());
  }

  async ask(prompt: string, echo: boolean): Promise<string> {
    process.stdout.write(prompt);
    this.#echo = echo;
    try {
      return await this.#next();
    } finally {
      if (!echo) process.stdout.write('\n');
      this.#echo = true;
    }
  }

  #next(): Promise<string> {
    const line = this.#lines.shift();
    if (line !== undefined) return Promise.resolve(line);
    if (this.#closed) return Promise.reject(closed());
    const waiting = Promise.withResolvers<string>();
    this.#waiting.push(waiting);
    this.#interface.resume();
    return waiting.promise;
  }

  #take(line: string): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#lines.push(line);
    else waiting.resolve(line);
    // Lets a program without pending questions exit.
    if (this.#waiting.length === 0) this.#interface.pause();
  }

  #close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
  }
}

const closed = (): StdinClosedError =>
  new StdinClosedError('The standard input ended before a line was read');

let terminal: Terminal | undefined;
let last: Promise<unknown> = Promise.resolve();

/** Resolves with the next line of standard input, without its newline; questions are asked in turn. Rejects with `StdinClosedError`. */
export function askTerminal(prompt: string, echo: boolean): Promise<string> {
  const answer = last.then(() => (terminal ??= new Terminal()).ask(prompt, echo));
  last = answer.catch(() => undefined);
  return answer;
}

/** Blocks until a line is typed; returns null without a terminal, or at the end of the input. */
export function askTerminalBlocking(prompt: string): string | null {
  if (!isatty(STDIN_FD)) return null;
  process.stdout.write(prompt);
  const bytes: number[] = [];
  const byte = Buffer.alloc(1);
  while (readSync(STDIN_FD, byte) > 0) {
    if (byte[0] === NEWLINE) return Buffer.from(bytes).toString().replace(/\r$/, '');
    bytes.push(byte[0]!);
  }
  return bytes.length > 0 ? Buffer.from(bytes).toString() : null;
}
