/** Statements as CUDA C++. Pure. */

import type { Expression, Leave, Statement, Variable } from '../program/program.ts';
import { deviceTable, type ValueType } from '../program/types.ts';
import { visit } from '../program/visit.ts';
import { elementOf, elementText } from './arrays.ts';
import { atomic, barrier, fence, warp } from './atomics.ts';
import type { Emission } from './emission.ts';
import { assertion, native, printLine, putResult } from './effects.ts';
import { toStored } from './expressions.ts';
import { assignment, step } from './operations.ts';
import { loadVector, storeVector } from './vectors.ts';
import type { Output } from './output.ts';
import { prefix } from './text.ts';
import { constant, TYPES } from './types.ts';

type Of<K extends Statement['kind']> = Extract<Statement, { readonly kind: K }>;

interface Around {
  readonly id: number;
  /** Whether `continue` starts the next round. */
  readonly continues: boolean;
}

export interface Writer {
  readonly emission: Emission;
  readonly out: Output;
  /** The loops around the statement. */
  readonly loops: Around[];
  /** Labels that a goto uses. */
  readonly labels: Set<string>;
}

type Rules = { readonly [K in Statement['kind']]: (writer: Writer, statement: Of<K>) => void };

const RULES: Rules = {
  declare: (writer, { variable, value }) => writer.out.put(`${declaration(writer, variable, value)};`),
  assign: (writer, statement) => writer.out.put(`${assigned(writer, statement)};`),
  store({ emission, out }, { array, index, value }) {
    const target = elementText(emission, array, index).text;
    const element = elementOf(emission.program, array);
    out.put(`${assignment(emission, target, value, toStored(emission, element, value))};`);
  },
  loadVector,
  storeVector,
  atomic: (writer, statement) => putResult(writer, statement.result, atomic(writer.emission, statement)),
  warp: (writer, { name, arguments: given, result }) =>
    putResult(writer, result, warp(writer.emission, name, given)),
  barrier: (writer, { name, arguments: given, result }) =>
    putResult(writer, result, barrier(writer.emission, name, given)),
  fence: ({ out }, { name }) => out.put(`${fence(name).text};`),
  print: printLine,
  assert: assertion,
  native,
  if: branch,
  loop: (writer, statement) => loop(writer, statement, null),
  block,
  leave: (writer, statement) => writer.out.put(`${jump(writer, statement)};`)
};

/** Writes statements one after another. */
export function list(writer: Writer, statements: readonly Statement[]): void {
  for (const [index, each] of statements.entries()) {
    const next = statements[index + 1];
    const before = statements[index - 1];
    if (before !== undefined && startsLoop(before, each, statements.slice(index + 1))) continue;
    if (next !== undefined && startsLoop(each, next, statements.slice(index + 2))) {
      writer.out.at(each.place);
      loop(writer, next, each);
    } else statement(writer, each);
  }
}

function statement(writer: Writer, node: Statement): void {
  if (node.kind !== 'block') writer.out.at(node.place);
  (RULES[node.kind] as (writer: Writer, node: Statement) => void)(writer, node);
}

/** Writes statements in a scope of their own. */
function nested(writer: Writer, statements: readonly Statement[]): void {
  writer.out.indented(() => writer.emission.names.scoped(() => list(writer, statements)));
}

const ZERO = deviceTable<ValueType, number | bigint | boolean>({
  bool: false,
  i32: 0,
  u32: 0,
  i64: 0n,
  u64: 0n,
  f32: 0,
  f64: 0
});

function declaration({ emission }: Writer, variable: Variable, value: Expression | null): string {
  const initial = value === null ? constant(variable.type, ZERO[variable.type]) : emission.write(value);
  return `${TYPES[variable.type]} ${emission.names.variable(variable)} = ${initial.text}`;
}

function assigned({ emission }: Writer, { variable, value }: Of<'assign'>): string {
  return assignment(emission, emission.names.variable(variable), value, emission.write(value));
}

function branch(writer: Writer, { condition, then, otherwise }: Of<'if'>): void {
  const { emission, out } = writer;
  if (then.length + otherwise.length === 0) return;
  if (then.length === 0) {
    const test = prefix('!', emission.write(condition)).text;
    out.put(`if (${test}) {`);
    nested(writer, otherwise);
    return out.put('}');
  }
  const test = emission.write(condition).text;
  const [only] = then;
  if (only?.kind === 'leave' && then.length === 1 && otherwise.length === 0)
    return out.put(`if (${test}) ${jump(writer, only)};`);
  out.put(`if (${test}) {`);
  nested(writer, then);
  if (otherwise.length > 0) {
    out.put('} else {');
    nested(writer, otherwise);
  }
  out.put('}');
}

/** Returns true if the first statement, a declaration, can stand in the head of the second one. */
function startsLoop(first: Statement, second: Statement, rest: readonly Statement[]): second is Of<'loop'> {
  if (first.kind !== 'declare' || second.kind !== 'loop' || !isFor(second)) return false;
  const { id } = first.variable;
  const counts = second.update.some(each => each.kind === 'assign' && each.variable.id === id);
  return counts && !mentions(rest, id);
}

function mentions(statements: readonly Statement[], variable: number): boolean {
  let found = false;
  visit(statements, node => {
    const mentioned = node.kind === 'variable' || node.kind === 'assign' ? node.variable.id : undefined;
    if (mentioned === variable) found = true;
  });
  return found;
}

/** Returns true if the loop has the form of `for`: what it does between rounds is a condition and assignments. */
const isFor = ({ before, update, testLast }: Of<'loop'>): boolean =>
  !testLast && before.length === 0 && update.every(each => each.kind === 'assign');

function loop(writer: Writer, node: Of<'loop'>, start: Statement | null): void {
  writer.emission.names.scoped(() => {
    if (isFor(node)) forLoop(writer, node, start);
    else generalLoop(writer, node);
  });
  label(writer, 'end', node.id);
}

function forLoop(writer: Writer, node: Of<'loop'>, start: Statement | null): void {
  const { emission, out } = writer;
  const first = start?.kind === 'declare' ? declaration(writer, start.variable, start.value) : '';
  const test = node.condition === null ? '' : emission.write(node.condition).text;
  const last = node.update.map(each => changed(writer, each as Of<'assign'>, node.condition)).join(', ');
  const head = [first, test === '' ? '' : ` ${test}`, last === '' ? '' : ` ${last}`].join(';');
  out.put(test !== '' && first === '' && last === '' ? `while (${test}) {` : `for (${head}) {`);
  rounds(writer, node, true);
  out.put('}');
}

const ORDERS: ReadonlySet<string> = new Set(['less', 'lessEqual', 'greater', 'greaterEqual']);

/** Writes what a loop does between its rounds. */
function changed(writer: Writer, node: Of<'assign'>, condition: Expression | null): string {
  const { emission } = writer;
  const { id } = node.variable;
  const isCounter =
    condition?.kind === 'binary' &&
    ORDERS.has(condition.operation) &&
    [condition.left, condition.right].some(side => side.kind === 'variable' && side.variable.id === id);
  return isCounter
    ? step(emission, emission.names.variable(node.variable), node.value)
    : assigned(writer, node);
}

/** Writes a loop that does more between its rounds than `for` can say. */
function generalLoop(writer: Writer, node: Of<'loop'>): void {
  const { emission, out } = writer;
  const { before, condition, update, testLast } = node;
  const test = condition === null ? '' : emission.write(condition).text;
  const atOnce = before.length === 0 && test !== '';
  const isDo = testLast && atOnce && update.length === 0;
  const isWhile = !testLast && atOnce;
  out.put(isDo ? 'do {' : isWhile ? `while (${test}) {` : 'for (;;) {');
  const leaving = (): void => {
    list(writer, before);
    if (condition === null) return;
    out.at(node.place);
    out.put(`if (${prefix('!', emission.write(condition)).text}) break;`);
  };
  out.indented(() => {
    if (!testLast && !isWhile) leaving();
  });
  rounds(writer, node, isDo || (!testLast && update.length === 0));
  out.indented(() => {
    if (testLast && !isDo) leaving();
    list(writer, update);
  });
  if (isDo) out.at(node.place);
  out.put(isDo ? `} while (${test});` : '}');
}

/** Writes the body of a loop; with `continues`, `continue` leads to the next round. */
function rounds(writer: Writer, { id, body }: Of<'loop'>, continues: boolean): void {
  const { out, loops } = writer;
  loops.push({ id, continues });
  if (!needsLabel(id, body, continues)) nested(writer, body);
  else
    out.indented(() => {
      // A goto must not enter the scope of a variable.
      out.put('{');
      nested(writer, body);
      out.put('}');
      label(writer, 'next', id);
    });
  loops.pop();
}

/** Returns true if a goto leads to the next round of the loop. */
function needsLabel(id: number, body: readonly Statement[], continues: boolean): boolean {
  let found = false;
  const look = (statements: readonly Statement[]): void =>
    visit(statements, node => {
      if (node.kind === 'leave' && node.target === id && node.to === 'next') found = true;
    });
  if (!continues) look(body);
  else
    visit(body, node => {
      if (node.kind === 'loop') look([...node.before, ...node.body, ...node.update]);
    });
  return found;
}

function block(writer: Writer, { id, body }: Of<'block'>): void {
  let left = false;
  visit(body, node => {
    if (node.kind === 'leave' && node.target === id) left = true;
  });
  if (id === 0 || !left) return list(writer, body);
  writer.out.put('{');
  nested(writer, body);
  writer.out.put('}');
  label(writer, 'end', id);
}

function label({ out, labels }: Writer, to: Leave['to'], id: number): void {
  const name = `${to}_${id}`;
  if (labels.has(name)) out.put(`${name}:;`);
}

function jump({ loops, labels }: Writer, { target, to }: Leave): string {
  if (target === 0) return 'return';
  const inner = loops.at(-1);
  if (inner?.id === target && to === 'end') return 'break';
  if (inner?.id === target && inner.continues) return 'continue';
  const name = `${to}_${target}`;
  labels.add(name);
  return `goto ${name}`;
}
