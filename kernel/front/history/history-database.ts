/**
 * The history of all sessions in one SQLite file, with IPython's tables, so that its tools can read it. Several kernels
 * write to the file: each transaction is short, and a lock that is not acquired in time is an error.
 */

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { HistoryQuery } from './history-query.ts';

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

/** Sort key of entries over all sessions; no session has more lines than the factor. */
const PLACE = 'history.session * 1000000000 + history.line';

export class HistoryDatabase {
  readonly #database: DatabaseSync;
  /** Set by the first entry: a kernel that runs nothing records no session. */
  #session: number | undefined;
  #lines = 0;

  /** Opens the file. Throws the error of the file system or of SQLite if it cannot be used. */
  constructor(file: string) {
    if (file !== MEMORY) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
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
    this.#transaction(() => {
      const session = (this.#session ??= this.#newSession());
      const addEntry = this.#database.prepare('INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?)');
      for (const { line, source } of entries) addEntry.run(session, line, source, source);
      const addOutput = this.#database.prepare('INSERT OR REPLACE INTO output_history VALUES (?, ?, ?)');
      for (const { line, output } of outputs) addOutput.run(session, line, output);
    });
    this.#lines += entries.length;
  }

  /** Returns the matching entries, oldest first. */
  query(query: HistoryQuery): HistoryItem[] {
    const { access, output } = query;
    if (access === 'tail') return this.#select(output, '', [], query.count);
    if (access === 'range') {
      const session = query.session > 0 ? query.session : this.#current() + query.session;
      const where = 'WHERE history.session = ? AND history.line >= ? AND history.line < ?';
      return this.#select(output, where, [session, query.start, query.stop]);
    }
    const { pattern, count, unique } = query;
    const where = `WHERE history.source_raw GLOB ? ${unique ? 'GROUP BY history.source_raw' : ''}`;
    // SQLite takes columns that are not grouped from the row with the maximum.
    return this.#select(output, where, [pattern], count, unique ? `MAX(${PLACE})` : PLACE);
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

  /** Selects the latest `count` entries, oldest first; a negative count means no limit. */
  #select(
    withOutput: boolean,
    where: string,
    values: readonly SQLInputValue[],
    count = -1,
    place = PLACE
  ): HistoryItem[] {
    const sql = `SELECT history.session AS session, history.line AS line, history.source_raw AS source,
      output_history.output AS output, ${place} AS place
      FROM history LEFT JOIN output_history USING (session, line) ${where} ORDER BY place DESC LIMIT ?`;
    const rows = this.#database.prepare(sql).all(...values, count);
    return rows.reverse().map(({ session, line, source, output }) => {
      const text = source as string;
      return [session as number, line as number, withOutput ? [text, output as string | null] : text];
    });
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

  #transaction(work: () => void): void {
    const session = this.#session;
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#session = session;
      this.#database.exec('ROLLBACK');
      throw error;
    }
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
