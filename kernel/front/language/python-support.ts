/** Completion and inspection of Python: in its cells, and for Python objects in TypeScript. Asks Python itself, if it runs. */

import type {
  PythonCompleteness,
  PythonDescription,
  PythonMatches
} from '../../../src/python/interpreter/notebook.ts';
import { parseMagics } from '../../protocol/magics.ts';
import type { LiveMembers } from '../executor/live-members.ts';
import { livePlace } from '../typescript/live-place.ts';
import type { Described } from '../typescript/markdown.ts';
import { completeReply, inspectReply } from '../typescript/replies.ts';
import { toCodePoints, toUtf16, wordEnd } from '../typescript/text-positions.ts';

const FENCE = '```';

/** Returns the Python code at an offset of the cell, and its start (both in UTF-16 units); undefined if there is none. */
function pythonAt(code: string, offset: number) {
  for (const { name, kind, start, body } of parseMagics(code).magics) {
    if (name !== 'python') continue;
    const lineEnd = code.indexOf('\n', start);
    if (kind === 'cell') {
      const bodyStart = code.length - body.length;
      if (lineEnd >= 0 && offset >= bodyStart) return { source: body, start: bodyStart };
    } else {
      const begin = start + /^%python\s*/.exec(code.slice(start))![0].length;
      const end = lineEnd < 0 ? code.length : lineEnd;
      if (offset >= begin && offset <= end) return { source: code.slice(begin, end), start: begin };
    }
  }
  return undefined;
}

/** Returns the content of a `complete_reply`; undefined if the cursor, in code points, is not in Python. */
export async function completePython(
  code: string,
  cursor: number,
  live: LiveMembers
): Promise<object | undefined> {
  const offset = toUtf16(code, cursor);
  const part = pythonAt(code, offset);
  if (part === undefined) return undefined;
  const before = toCodePoints(code, part.start);
  const answer = await live.askPython<PythonMatches>({
    about: 'completions',
    source: part.source,
    cursor: cursor - before
  });
  const { start, matches } = answer ?? { start: cursor - before, matches: [] };
  return completeReply(
    code,
    [toUtf16(code, before + start), offset],
    matches.map(({ name, type }) => ({ text: name, type }))
  );
}

/** Returns the content of an `inspect_reply`; undefined if there is nothing of Python at the cursor. */
export async function inspectPython(
  code: string,
  cursor: number,
  detail: number,
  live: LiveMembers
): Promise<object | undefined> {
  const offset = toUtf16(code, cursor);
  const part = pythonAt(code, offset);
  if (part !== undefined) {
    const place = cursor - toCodePoints(code, part.start);
    const about = { about: 'name', source: part.source, cursor: place, detail } as const;
    return inspectReply(described(await live.askPython<PythonDescription>(about)));
  }
  const path = attributePath(code, offset);
  if (path === undefined) return undefined;
  const found = described(await live.askPython<PythonDescription>({ about: 'attribute', path, detail }));
  return found && inspectReply(found);
}

/** Returns the content of an `is_complete_reply`; undefined if the cell is not Python. */
export async function pythonCompleteness(code: string, live: LiveMembers): Promise<object | undefined> {
  const part = parseMagics(code).magics.find(({ kind, name }) => kind === 'cell' && name === 'python');
  if (part === undefined) return undefined;
  if (part.body.trim() === '') return { status: 'incomplete', indent: '' };
  const answer = await live.askPython<PythonCompleteness>({ about: 'completeness', source: part.body });
  if (answer === undefined) return { status: 'unknown' };
  const [status, indent] = answer;
  return status === 'incomplete' ? { status, indent } : { status };
}

/** Returns the names on the path `a.b`, with the cursor on either name or after `a.b(`. */
function attributePath(code: string, offset: number): readonly string[] | undefined {
  const end = wordEnd(code, offset);
  const onWord = pathTo(code, end);
  if (onWord !== undefined) return onWord;
  let depth = 0;
  for (let index = offset - 1; index > 0; index -= 1) {
    if (code[index] === ')') depth += 1;
    else if (code[index] === '(' && depth > 0) depth -= 1;
    else if (code[index] === '(') return pathTo(code, index);
  }
  return undefined;
}

function pathTo(code: string, end: number): readonly string[] | undefined {
  const word = /[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.exec(code.slice(0, end))?.[0];
  if (word === undefined) return undefined;
  const place = livePlace(code, end);
  return place === undefined ? [word] : place.quoted ? undefined : [...place.path, word];
}

function described(found: PythonDescription | undefined): Described | undefined {
  if (found === undefined) return undefined;
  const { heading, documentation, source } = found;
  const python = (text: string): string => `${FENCE}python\n${text}\n${FENCE}`;
  const markdown = [python(heading.join('\n'))];
  const plain = [...heading];
  if (documentation !== null) {
    // Docstrings are not Markdown: their line ends and indents are significant.
    markdown.push(`${FENCE}text\n${documentation}\n${FENCE}`);
    plain.push('', documentation);
  }
  if (source !== null) {
    markdown.push(python(source.trimEnd()));
    plain.push('', source.trimEnd());
  }
  return { markdown: markdown.join('\n\n'), plain: plain.join('\n') };
}
