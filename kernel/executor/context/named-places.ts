/** Finds what an error names, near the place that V8 reports: that is often only the start of a statement, or a member of what is missing. */

import { cellLanguage, parseCell } from '../../protocol/cell-language.ts';
import { parseMagics } from '../../protocol/magics.ts';
import { objectParentheses } from '../../protocol/object-cell.ts';
import { childNodes } from '../../protocol/syntax.ts';
import { offsetAt, positionAt, type Position } from '../transform/positions.ts';

/** A node of a syntax tree, as far as names matter. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly name?: unknown;
  readonly value?: unknown;
  readonly key?: Node;
  readonly property?: Node;
  readonly computed?: boolean;
  readonly shorthand?: boolean;
}

/** What messages name: a variable, an export, or a module. */
const VARIABLE = [
  /^(\S+) is not defined$/,
  /^Cannot access '(\S+)' before initialization$/,
  /does not provide an export named '([^']+)'$/
];
const MODULE = /^Cannot find (?:package|module) '([^']+)'/;

/** Returns the place of what the message names; `position` if it names nothing, or that is not in the statement there. */
export function namedPlace(message: string, source: string, position: Position): Position {
  const variable = VARIABLE.map(pattern => pattern.exec(message)?.[1]).find(name => name !== undefined);
  const module = MODULE.exec(message)?.[1];
  if (variable === undefined && module === undefined) return position;
  const { code } = parseMagics(source);
  // In an object literal V8 reports the place of the value itself.
  if (objectParentheses(code).length > 0) return position;
  const offset = offsetAt(code, position);
  const isNamed = ({ type, name, value }: Node): boolean =>
    variable === undefined
      ? type === 'Literal' && (value === module || String(value).startsWith(`${module}/`))
      : (type === 'Identifier' || type === 'JSXIdentifier') && name === variable;
  const program = parseCell(code, cellLanguage(code)).program as Node;
  const running = namesAround(program, offset, isNamed, false);
  const starts = running.length > 0 ? running : namesAround(program, offset, isNamed, true);
  const at = starts.findLast(start => start <= offset) ?? starts[0];
  return at === undefined ? position : positionAt(code, at);
}

/** Returns the places in the innermost statement around an offset; with `inner` also those in functions that do not contain it. */
function namesAround(
  program: Node,
  offset: number,
  isNamed: (node: Node) => boolean,
  inner: boolean
): number[] {
  const contains = ({ start, end }: Node): boolean => start <= offset && offset < end;
  let starts: number[] = [];
  const visit = (node: Node): void => {
    if (!inner && /Function/.test(node.type) && !contains(node)) return;
    if (isStatement(node) && contains(node)) starts = [];
    else if (isNamed(node)) starts.push(node.start);
    for (const child of childNodes(node)) if (!isLabel(node, child)) visit(child);
  };
  visit(program);
  return starts;
}

function isStatement({ type }: Node): boolean {
  return /Statement$|Declaration$/.test(type) && type !== 'BlockStatement';
}

/** Returns whether an identifier is the name of a member, no variable. */
function isLabel({ type, key, property, computed, shorthand }: Node, child: Node): boolean {
  if (computed === true || shorthand === true) return false;
  return (child === key && type !== 'ImportSpecifier') || child === property;
}
