/** Terminal output of a run: a line for each cell of a notebook, or the output of a script. */

import { relative } from 'node:path';
import { styleText, stripVTControlCharacters } from 'node:util';
import type { JsonObject } from '../../protocol/messages.ts';
import type { CellProblem } from './cells.ts';
import { sourceOf, type Cell, type Notebook } from './notebook-file.ts';
import type { PublishedMessage } from './outputs.ts';
import { findingsIn } from './type-findings.ts';

const TITLE_LENGTH = 64;

export interface Terminal {
  published(message: PublishedMessage): void;
  started(cell: Cell, index: number): void;
  finished(cell: Cell, index: number, milliseconds: number, problem: CellProblem | undefined): void;
  /** Reports that `left` cells were not run. */
  stopped(left: number): void;
  wrote(file: string): void;
}

/** Keeps colours for a terminal and strips them for a file or a pipe. */
function plainWhere(stream: NodeJS.WriteStream, text: string): string {
  return stream.isTTY ? text : stripVTControlCharacters(text);
}

function title(cell: Cell): string {
  const line = sourceOf(cell)
    .split('\n')
    .find(text => text.trim() !== '');
  return (line ?? '').slice(0, TITLE_LENGTH);
}

const print = (text: string): void => void process.stdout.write(plainWhere(process.stdout, `${text}\n`));

/** Prints a problem on stderr, so that it does not mix with the output of cells. */
function complain(text: string | undefined): void {
  if (text !== undefined) process.stderr.write(plainWhere(process.stderr, `${text}\n`));
}

function traceback(cell: Cell): string {
  const error = cell.outputs?.find(({ output_type }) => output_type === 'error');
  return ((error?.['traceback'] ?? []) as string[]).join('\n');
}

/** Returns to the start of the line and erases it. */
const ERASE_LINE = '\r\x1b[K';

export class CellLines implements Terminal {
  readonly #count: number;
  /** Whether the line of the running cell is shown. */
  #running = false;

  constructor(notebook: Notebook) {
    this.#count = notebook.cells.filter(cell => cell.cell_type === 'code').length;
  }

  published(message: PublishedMessage): void {
    const findings = findingsIn(message);
    if (findings === undefined) return;
    this.#erase();
    complain(findings);
  }

  /** Shows the running cell, if the terminal can erase that line. */
  started(cell: Cell, index: number): void {
    if (!process.stdout.isTTY) return;
    const line = `${`[${index + 1}]`.padEnd(5)}running, ${index + 1} of ${this.#count}  ${title(cell)}`;
    // A line that wraps could not be erased.
    process.stdout.write(line.slice(0, process.stdout.columns - 1));
    this.#running = true;
  }

  finished(cell: Cell, index: number, milliseconds: number, problem: CellProblem | undefined): void {
    this.#erase();
    const good = problem === undefined || problem.expected;
    const verdict = good ? styleText('green', 'ok    ') : styleText('red', 'FAILED');
    const time = `${milliseconds.toFixed(1)} ms`.padStart(11);
    print(`${`[${index + 1}]`.padEnd(5)}${time}  ${verdict}  ${title(cell)}`);
    if (good) return;
    const trace = traceback(cell);
    print(`        ${problem.text}${trace === '' ? '' : `\n${trace}`}`);
  }

  stopped(left: number): void {
    print(`Cells not run: ${left} of ${this.#count}`);
  }

  wrote(file: string): void {
    this.#erase();
    print(`wrote ${relative('', file)}`);
  }

  #erase(): void {
    if (this.#running) process.stdout.write(ERASE_LINE);
    this.#running = false;
  }
}

function textOf(content: JsonObject): string | undefined {
  const text = (content['data'] as JsonObject | undefined)?.['text/plain'];
  return typeof text === 'string' ? text : undefined;
}

/** Passes stdout and stderr through as a program does, with the text of displays and results in between. */
export class ScriptText implements Terminal {
  /** The latest text of displays that were updated since they were printed, by display id. */
  readonly #updated = new Map<unknown, string>();

  published(message: PublishedMessage): void {
    const { type, content } = message;
    const findings = findingsIn(message);
    if (findings !== undefined) complain(findings);
    else if (type === 'stream') {
      const stream = content['name'] === 'stderr' ? process.stderr : process.stdout;
      stream.write(plainWhere(stream, String(content['text'])));
    } else if (type === 'display_data' || type === 'execute_result') {
      const text = textOf(content);
      if (text !== undefined) print(text);
    } else if (type === 'update_display_data') {
      const { display_id } = content['transient'] as JsonObject;
      this.#updated.set(display_id, textOf(content) ?? '');
    }
  }

  started(): void {}

  finished(cell: Cell, _index: number, _milliseconds: number, problem: CellProblem | undefined): void {
    // Progress changes many times; of each display the first and the last state are printed.
    for (const text of this.#updated.values()) if (text !== '') print(text);
    this.#updated.clear();
    if (problem === undefined || problem.expected) return;
    const trace = traceback(cell);
    complain(trace === '' ? problem.text : trace);
  }

  stopped(): void {}

  wrote(file: string): void {
    process.stderr.write(`wrote ${relative('', file)}\n`);
  }
}
