/** Contents of replies about code, from any source. */

import { toCodePoints } from './text-positions.ts';

/** Returns the content of a `complete_reply`: texts that can replace the code between two offsets, with details for clients. */
export function completeReply(
  code: string,
  [start, end]: readonly [number, number],
  matches: readonly { readonly text: string; readonly type?: string; readonly signature?: string }[]
): object {
  const place = { start: toCodePoints(code, start), end: toCodePoints(code, end) };
  return {
    status: 'ok',
    matches: matches.map(({ text }) => text),
    cursor_start: place.start,
    cursor_end: place.end,
    metadata: { _jupyter_types_experimental: matches.map(match => ({ ...match, ...place })) }
  };
}

/** Returns the content of an `inspect_reply`; pass undefined if nothing was found. */
export function inspectReply(
  found: { readonly markdown: string; readonly plain: string } | undefined
): object {
  const data = found && { 'text/markdown': found.markdown, 'text/plain': found.plain };
  return { status: 'ok', found: data !== undefined, data: data ?? {}, metadata: {} };
}
