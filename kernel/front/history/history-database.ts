/** The history of all sessions in an SQLite file with IPython's tables. Several kernels write to it, in short transactions. */

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { JsonObject } from '../../protocol/messages.ts';

export interface HistoryEntry {
  readonly line: number;
  readonly source: string;
}

export interface HistoryOutput {
  readonly line: number;
  readonly output: string;
}

export type HistoryItem = readonly [
  session: number,
  line: number,
  input: string | readonly [source: string, output: string | null]
];

const DEFAULT_TAIL = 10;
const LAST_LINE = Number.MAX_SAFE_INTEGER;
export const MEMORY = ':memory:';
/** Time to wait for another kernel, whose transactions take well under a millisecond. */
const LOCK_TIMEOUT_MS = 100;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions
    (session INTEGER PRIMARY KEY AUTOINCREMENT, start TIMESTAMP, end TIMESTAMP, num_cmds INTEGER, remark TEXT);
  CREATE TABLE IF NOT EXISTS history
    (session INTEGER, line INTEGER, source TEXT, source_raw TEXT, PRIMARY KEY (session, line));
  CREATE TABLE IF NOT EXISTS output_history
    (session INTEGER, line INTEGER, output TEXT, PRIMARY KEY (session, line));`;

/** Order of all entries, as the index of the table has it. */
const LATEST_FIRST = 'ORDER BY history.session DESC, history.line DESC';
/** Cells kept in memory: more than clients request. */
const MEMORY_LINES = 1_000;

export class HistoryDatabase {
  readonly #database: DatabaseSync;
  /** Set by the first entry: a kernel that runs nothing records no session. */
  #session: number | undefined;
  #lines = 0;
  readonly #inMemory: boolean;

  /** Opens the file. Throws the error of the file system or of SQLite if it cannot be used. */
  constructor(file: string) {
    this.#inMemory = file === MEMORY;
    if (!this.#inMemory) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.#database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
    try {
      // Readers and writers do not block each other, and a commit does not wait for the disk.
      this.#database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${SCHEMA}`);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Adds all entries and outputs in one transaction. */
  add(entries: readonly HistoryEntry[], outputs: readonly HistoryOutput[]): void {
    const before = this.#session;
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const session = (this.#session ??= this.#newSession());
      const addEntry = this.#database.prepare('INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?)');
      for (const { line, source } of entries) addEntry.run(session, line, source, source);
      const addOutput = this.#database.prepare('INSERT OR REPLACE INTO output_history VALUES (?, ?, ?)');
      for (const { line, output } of outputs) addOutput.run(session, line, output);
      if (this.#inMemory) this.#forgetBefore((entries.at(-1)?.line ?? 0) - MEMORY_LINES);
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#session = before;
      this.#database.exec('ROLLBACK');
      throw error;
    }
    this.#lines += entries.length;
  }

  /**
   * Returns the entries that a `history_request` asks for, oldest first; missing fields have IPython's defaults.
   * Throws `RangeError` for an access type that the protocol does not define.
   */
  query(request: JsonObject): HistoryItem[] {
    const { hist_access_type: access, pattern, unique } = request;
    const output = request['output'] === true;
    const number = (name: string): number | undefined =>
      Number.isSafeInteger(request[name]) ? (request[name] as number) : undefined;
    const count = number('n');
    if (access === 'tail') return this.#tail(output, Math.max(0, count ?? DEFAULT_TAIL));
    if (access === 'range') {
      const session = number('session') ?? 0;
      // Numbers up to 0 count back from the current session. Clients also write 0 for "to the end".
      const from = session > 0 ? session : this.#current() + session;
      const start = this.#line(from, number('start') ?? 0);
      const stop = this.#line(from, number('stop') || LAST_LINE);
      const where = 'WHERE history.session = ? AND history.line >= ? AND history.line < ?';
      return this.#select(output, where, [from, start, stop]);
    }
    if (access !== 'search')
      throw new RangeError(
        `hist_access_type must be "tail", "range" or "search", not ${JSON.stringify(access)}`
      );
    const wanted = [typeof pattern === 'string' ? pattern : '*'];
    const most = count === undefined ? undefined : Math.max(0, count);
    return this.#select(output, 'WHERE history.source_raw GLOB ?', wanted, most, unique === true);
  }

  /** Records the end of the session and closes the file. */
  close(): void {
    try {
      if (this.#session !== undefined)
        this.#database
          .prepare('UPDATE sessions SET end = ?, num_cmds = ? WHERE session = ?')
          .run(timestamp(), this.#lines, this.#session);
    } finally {
      this.#database.close();
    }
  }

  /** Returns the latest entries. Those of this session come last: other kernels may have started later. */
  #tail(output: boolean, count: number): HistoryItem[] {
    const current = [this.#current()];
    const own = this.#select(output, 'WHERE history.session = ?', current, count);
    const others = this.#select(output, 'WHERE history.session <> ?', current, count - own.length);
    return [...others, ...own];
  }

  /** Selects the latest `count` entries, oldest first; with `unique`, only the latest of each text. */
  #select(
    withOutput: boolean,
    where: string,
    values: readonly SQLInputValue[],
    count = Infinity,
    unique = false
  ): HistoryItem[] {
    const sql = `SELECT history.session AS session, history.line AS line, history.source_raw AS source
      ${withOutput ? ', output_history.output AS output' : ''}
      FROM history ${withOutput ? 'LEFT JOIN output_history USING (session, line)' : ''}
      ${where} ${LATEST_FIRST}`;
    const items: HistoryItem[] = [];
    const seen = new Set<string>();
    if (count === 0) return items;
    // Read one by one: usually a few of many thousand are wanted.
    for (const { session, line, source, output } of this.#database.prepare(sql).iterate(...values)) {
      const text = source as string;
      if (unique && seen.has(text)) continue;
      seen.add(text);
      items.push([session as number, line as number, withOutput ? [text, output as string | null] : text]);
      if (items.length === count) break;
    }
    return items.reverse();
  }

  /** Returns the number of a line; negative ones count back from the end of the session. */
  #line(session: number, line: number): number {
    if (line >= 0) return line;
    const query = this.#database.prepare('SELECT MAX(line) AS last FROM history WHERE session = ?');
    return ((query.get(session)!['last'] as number | null) ?? 0) + 1 + line;
  }

  #forgetBefore(line: number): void {
    for (const table of ['history', 'output_history'])
      this.#database.prepare(`DELETE FROM ${table} WHERE line <= ?`).run(line);
  }

  /** Returns the number that this session has or would get. */
  #current(): number {
    if (this.#session !== undefined) return this.#session;
    const { last } = this.#database.prepare('SELECT MAX(session) AS last FROM sessions').get()!;
    return ((last as number | null) ?? 0) + 1;
  }

  #newSession(): number {
    const insert = this.#database.prepare("INSERT INTO sessions VALUES (NULL, ?, NULL, NULL, '')");
    return Number(insert.run(timestamp()).lastInsertRowid);
  }
}

/** Returns the time in the format of Python's SQLite adapter: local time without a zone. */
function timestamp(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000)
    .toISOString()
    .slice(0, -1)
    .replace('T', ' ');
}
