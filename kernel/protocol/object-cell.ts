/** Cells that are an object literal, `{ a, b }`: an object, as in Node's REPL and a browser's console, where a script has a block. */

import { inserted, type Insertion } from '../../src/kernels/source/insertions.ts';
import { cellLanguage, parseCell } from './cell-language.ts';

const START = /^(?:\s|\/\/.*|\/\*[^]*?\*\/)*\{/;
const END = /\}(?:\s|;|\/\/.*|\/\*[^]*?\*\/)*$/;

/** Returns the parentheses that make the cell an expression; none if it is something else than an object literal. */
export function objectParentheses(code: string): readonly Insertion[] {
  const start = START.exec(code);
  if (start === null) return [];
  const end = END.exec(code.slice(code.lastIndexOf('}')));
  if (end === null) return [];
  const parentheses = [
    { offset: start[0].length - 1, text: '(' },
    { offset: code.lastIndexOf('}') + 1, text: ')' }
  ];
  const text = inserted(code, parentheses);
  const { errors, program } = parseCell(text, cellLanguage(text));
  const [statement] = program.body;
  const isObject =
    errors.length === 0 &&
    statement?.type === 'ExpressionStatement' &&
    statement.expression.type === 'ParenthesizedExpression' &&
    statement.expression.expression.type === 'ObjectExpression';
  return isObject ? parentheses : [];
}
