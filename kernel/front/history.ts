/** What was executed in this session, as `history_request` asks for it. */

import type { JsonObject } from '../protocol/messages.ts';

interface HistoryEntry {
  readonly line: number;
  readonly source: string;
  output: string | null;
}

type HistoryItem = readonly [session: number, line: number, input: string | readonly [string, string | null]];

/** History is of one session; earlier sessions are not kept. */
const SESSION = 1;

export class History {
  readonly #entries: HistoryEntry[] = [];

  add(line: number, source: string): void {
    this.#entries.push({ line, source, output: null });
  }

  setOutput(line: number, output: string): void {
    const entry = this.#entries.findLast(candidate => candidate.line === line);
    if (entry !== undefined) entry.output = output;
  }

  /** Content of a `history_request` to the items of its reply, oldest first. */
  query(request: JsonObject): HistoryItem[] {
    const withOutput = request['output'] === true;
    return this.#select(request).map(({ line, source, output }) => [
      SESSION,
      line,
      withOutput ? [source, output] : source
    ]);
  }

  #select(request: JsonObject): HistoryEntry[] {
    const count = typeof request['n'] === 'number' ? Math.max(0, request['n']) : Infinity;
    switch (request['hist_access_type']) {
      case 'tail':
        return lastOf(this.#entries, count);
      case 'range':
        return this.#range(request);
      case 'search':
        return lastOf(this.#search(request), count);
      default:
        return [];
    }
  }

  #range({ session, start, stop }: JsonObject): HistoryEntry[] {
    // 0 is the current session, negative numbers count back from it.
    if (session !== undefined && session !== 0 && session !== SESSION) return [];
    const first = typeof start === 'number' ? start : 0;
    const end = typeof stop === 'number' ? stop : Infinity;
    return this.#entries.filter(({ line }) => line >= first && line < end);
  }

  #search({ pattern, unique }: JsonObject): HistoryEntry[] {
    const expression = globExpression(typeof pattern === 'string' ? pattern : '*');
    const found = this.#entries.filter(({ source }) => expression.test(source));
    if (unique !== true) return found;
    return found.filter(
      ({ source }, index) => !found.slice(index + 1).some(later => later.source === source)
    );
  }
}

function lastOf<Item>(items: readonly Item[], count: number): Item[] {
  return items.slice(Math.max(0, items.length - count));
}

/** `*` and `?` as in file names, over the whole text. */
function globExpression(pattern: string): RegExp {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '[^]*').replaceAll('?', '[^]')}$`);
}
