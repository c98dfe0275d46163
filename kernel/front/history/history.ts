/** The code executed in this and earlier sessions. It is written between other work, or kept in memory if the file cannot be used. */

import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { JsonObject } from '../../protocol/messages.ts';
import type { HistoryDatabase, HistoryEntry, HistoryItem, HistoryOutput } from './history-database.ts';
import { historyFile } from './history-location.ts';

const WRITE_AFTER_MS = 250;
/** Attempts to write while other kernels hold the lock. */
const MAX_ATTEMPTS = 20;
const OPEN_AGAIN_MS = 25;
const MAX_OUTPUT_CHARACTERS = 10_000;
const SQLITE_BUSY = 5;

export class History {
  readonly #file: string | undefined;
  readonly #warn: (text: string) => void;
  #entries: HistoryEntry[] = [];
  #outputs: HistoryOutput[] = [];
  #timer: NodeJS.Timeout | undefined;
  #database: Promise<HistoryDatabase> | undefined;
  #attempts = 0;
  #writing = Promise.resolve();

  /** Constructs the history. `warn` is called with a sentence if the file cannot be used. */
  constructor(warn: (text: string) => void, file = historyFile()) {
    this.#warn = warn;
    this.#file = file;
  }

  add(line: number, source: string): void {
    this.#entries.push({ line, source });
    this.#writeSoon();
  }

  setOutput(line: number, text: string): void {
    const output = stripVTControlCharacters(text.slice(0, MAX_OUTPUT_CHARACTERS));
    this.#outputs.push({ line, output });
    this.#writeSoon();
  }

  /** Returns the items of the reply to a `history_request`, oldest first. */
  async query(request: JsonObject): Promise<HistoryItem[]> {
    await this.#write();
    return (await this.#open()).query(request);
  }

  /** Writes the remaining entries and ends the session. */
  async close(): Promise<void> {
    await this.#write();
    clearTimeout(this.#timer);
    try {
      (await this.#database)?.close();
    } catch (error) {
      this.#warn(`The history cannot record the end of the session: ${(error as Error).message}`);
    }
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => void this.#write(), WRITE_AFTER_MS).unref();
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#writeGathered());
    return this.#writing;
  }

  async #writeGathered(): Promise<void> {
    if (this.#entries.length === 0 && this.#outputs.length === 0) return;
    const database = await this.#open();
    const entries = this.#entries;
    const outputs = this.#outputs;
    try {
      database.add(entries, outputs);
    } catch (error) {
      this.#attempts += 1;
      if (isBusy(error) && this.#attempts < MAX_ATTEMPTS) return this.#writeSoon();
      (await this.#toMemory(error as Error)).add(entries, outputs);
    }
    this.#attempts = 0;
    this.#entries = this.#entries.slice(entries.length);
    this.#outputs = this.#outputs.slice(outputs.length);
  }

  #open(): Promise<HistoryDatabase> {
    return (this.#database ??= this.#openFile());
  }

  async #openFile(): Promise<HistoryDatabase> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await openDatabase(this.#file);
      } catch (error) {
        if (!isBusy(error) || attempt === MAX_ATTEMPTS) return this.#toMemory(error as Error);
      }
      await delay(OPEN_AGAIN_MS);
    }
  }

  /** Moves the history to memory. The old database is not closed: a file in this state may refuse that too. */
  #toMemory(fault: Error): Promise<HistoryDatabase> {
    this.#warn(
      `The history in ${this.#file ?? 'memory'} cannot be used (${fault.message}): this session's history stays in memory. ` +
        'Remove the file, or set STRIDELAB_HISTORY to another file or to "off".'
    );
    return (this.#database = openDatabase());
  }
}

async function openDatabase(file?: string): Promise<HistoryDatabase> {
  const { HistoryDatabase, MEMORY } = await import('./history-database.ts');
  return new HistoryDatabase(file ?? MEMORY);
}

function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === SQLITE_BUSY;
}
