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
    const before = this.#session;
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const session = (this.#session ??= this.#newSession());
      const addEntry = this.#database.prepare('INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?)');
      for (const { line, source } of entries) addEntry.run(session, line, source, source);
      const addOutput = this.#database.prepare('INSERT OR REPLACE INTO output_history VALUES (?, ?, ?)');
      for (const { line, output } of outputs) addOutput.run(session, line, output);
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
    if (access === 'tail') return this.#select(output, '', [], Math.max(0, count ?? DEFAULT_TAIL));
    if (access === 'range') {
      const session = number('session') ?? 0;
      const where = 'WHERE history.session = ? AND history.line >= ? AND history.line < ?';
      // Numbers up to 0 count back from the current session. Clients also write 0 for "to the end".
      const from = session > 0 ? session : this.#current() + session;
      return this.#select(output, where, [from, number('start') ?? 0, number('stop') || LAST_LINE]);
    }
    if (access !== 'search')
      throw new RangeError(
        `hist_access_type must be "tail", "range" or "search", not ${JSON.stringify(access)}`
      );
    const where = `WHERE history.source_raw GLOB ? ${unique === true ? 'GROUP BY history.source_raw' : ''}`;
    // SQLite takes columns that are not grouped from the row with the maximum.
    const place = unique === true ? `MAX(${PLACE})` : PLACE;
    const wanted = typeof pattern === 'string' ? pattern : '*';
    return this.#select(output, where, [wanted], count && Math.max(0, count), place);
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
}

/** Returns the time in the format of Python's SQLite adapter: local time without a zone. */
function timestamp(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000)
    .toISOString()
    .slice(0, -1)
    .replace('T', ' ');
}
