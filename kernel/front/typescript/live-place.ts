/** Finds the object whose members are being typed: `a.b[0].c` before the last dot, or before `["`. */

import { wordStart } from './text-positions.ts';

export interface LivePlace {
  /** The variable's name, then the keys that lead to the object. */
  readonly path: readonly [string, ...string[]];
  /** Offset of the variable's name. */
  readonly rootStart: number;
  /** Offset of the member that is being typed. */
  readonly start: number;
  /** Whether the member is written as a string, so that any key is allowed. */
  readonly quoted: boolean;
}

const KEY = String.raw`\??\.[\p{ID_Start}$_][\p{ID_Continue}$]*|(?:\?\.)?\[(?:\d+|"[^"\\\n]*"|'[^'\\\n]*')\]`;
const PATH = new RegExp(
  String.raw`(?<![\p{ID_Continue}$.)\]])([\p{ID_Start}$_][\p{ID_Continue}$]*)((?:${KEY})*)$`,
  'u'
);
const KEYS = new RegExp(KEY, 'gu');
/** An open string of a member, up to the cursor. */
const OPEN_KEY = /(?:\?\.)?\[(["'])([^"'\\\n]*)$/;

export function livePlace(code: string, cursor: number): LivePlace | undefined {
  const before = code.slice(0, cursor);
  const openKey = OPEN_KEY.exec(before);
  if (openKey !== null) return placeAt(before.slice(0, openKey.index), cursor - openKey[2]!.length, true);
  const start = wordStart(code, cursor);
  const dot = /\??\.$/.exec(code.slice(0, start));
  return dot === null ? undefined : placeAt(code.slice(0, dot.index), start, false);
}

function placeAt(before: string, start: number, quoted: boolean): LivePlace | undefined {
  const found = PATH.exec(before);
  if (found === null) return undefined;
  const keys = [...found[2]!.matchAll(KEYS)].map(([key]) =>
    key.replace(/^\??\.|^\?/, '').replace(/^\[["']?|["']?\]$/g, '')
  );
  return { path: [found[1]!, ...keys], rootStart: found.index, start, quoted };
}
