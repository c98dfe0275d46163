/** Parses a `history_request`, with IPython's defaults for missing fields. */

import type { JsonObject } from '../../protocol/messages.ts';

export type HistoryQuery = { readonly output: boolean } & (
  | { readonly access: 'tail'; readonly count: number }
  /** `session`: 0 and less count back from the current one; `stop` is excluded. */
  | { readonly access: 'range'; readonly session: number; readonly start: number; readonly stop: number }
  /** `count` is undefined for all entries. */
  | {
      readonly access: 'search';
      readonly pattern: string;
      readonly count: number | undefined;
      readonly unique: boolean;
    }
);

const DEFAULT_TAIL = 10;
const LAST_LINE = Number.MAX_SAFE_INTEGER;

/** Returns the query. Throws `RangeError` for an access type that the protocol does not define. */
export function historyQuery(content: JsonObject): HistoryQuery {
  const output = content['output'] === true;
  const count = wholeNumber(content['n']);
  switch (content['hist_access_type']) {
    case 'tail':
      return { access: 'tail', output, count: Math.max(0, count ?? DEFAULT_TAIL) };
    case 'range':
      return {
        access: 'range',
        output,
        session: wholeNumber(content['session']) ?? 0,
        start: wholeNumber(content['start']) ?? 0,
        // Clients also write 0 for "to the end".
        stop: wholeNumber(content['stop']) || LAST_LINE
      };
    case 'search':
      return {
        access: 'search',
        output,
        pattern: typeof content['pattern'] === 'string' ? content['pattern'] : '*',
        count: count === undefined ? undefined : Math.max(0, count),
        unique: content['unique'] === true
      };
    default:
      throw new RangeError(
        `hist_access_type must be "tail", "range" or "search", not ${JSON.stringify(content['hist_access_type'])}`
      );
  }
}

function wholeNumber(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}
