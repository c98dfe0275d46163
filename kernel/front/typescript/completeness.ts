/** Decides whether a piece of TypeScript is complete, for consoles that ask before they execute a line. */

import { cellLanguage, parseCell } from '../../protocol/cell-language.ts';
import { objectParentheses } from '../../protocol/object-cell.ts';

export type Completeness =
  | { readonly status: 'complete' }
  | { readonly status: 'invalid' }
  | { readonly status: 'incomplete'; readonly indent: string };

const INDENT = '  ';

export function completeness(code: string): Completeness {
  if (objectParentheses(code).length > 0) return { status: 'complete' };
  const asScript = scriptCompleteness(code);
  if (asScript.status !== 'invalid' || !/^\s*\{/.test(code)) return asScript;
  // The beginning of an object literal may be no block.
  const asObject = scriptCompleteness(`(${code}`);
  return asObject.status === 'incomplete' ? asObject : asScript;
}

function scriptCompleteness(code: string): Completeness {
  const [first] = parseCell(code, cellLanguage(code)).errors;
  if (first === undefined) return { status: 'complete' };
  const contentEnd = code.trimEnd().length;
  const atEnd = first.labels.some(({ start }) => start >= contentEnd);
  return atEnd || leavesOpen(code, first.message, first.labels[0]?.start)
    ? { status: 'incomplete', indent: nextIndent(code) }
    : { status: 'invalid' };
}

/** Returns whether the error is an unterminated template or comment, which may continue on the next line. */
function leavesOpen(code: string, message: string, start: number | undefined): boolean {
  if (start === undefined || !message.startsWith('Unterminated')) return false;
  return code[start] === '`' || code[start] === '}' || code.startsWith('/*', start);
}

function nextIndent(code: string): string {
  const last = code.trimEnd().split('\n').at(-1)!;
  const current = /^\s*/.exec(last)![0];
  return /[{([]$/.test(last) ? current + INDENT : current;
}
