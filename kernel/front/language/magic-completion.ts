/** Completion of magic names at places where a magic is allowed. */

import { MAGIC_NAMES, parseMagics } from '../../protocol/magics.ts';
import { toUtf16 } from '../typescript/text-positions.ts';
import { completeReply } from '../typescript/replies.ts';

/** Returns the content of a `complete_reply`; undefined if the cursor, in code points, is not in the name of a magic. */
export function completeMagic(code: string, cursor: number): object | undefined {
  const offset = toUtf16(code, cursor);
  const lineStart = code.lastIndexOf('\n', offset - 1) + 1;
  const written = /^\s*(%%?[^\s%]*)$/.exec(code.slice(lineStart, offset))?.[1];
  if (written === undefined) return undefined;
  const start = offset - written.length;
  if (!parseMagics(code).magics.some(magic => magic.start === start)) return undefined;
  const end = offset + /^[^\s%]*/.exec(code.slice(offset))![0].length;
  const matches = MAGIC_NAMES.filter(name => name.startsWith(written));
  return completeReply(
    code,
    [start, end],
    matches.map(text => ({ text, type: 'magic' }))
  );
}
