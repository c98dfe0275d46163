/** Lowers expressions. */

import type * as acorn from 'acorn';
import type { Expression } from '../program/program.ts';
import { lowerBinary, lowerUnary, toIndex } from './arithmetic.ts';
import { lowerAssignment, lowerUpdate } from './assignments.ts';
import { lowerCall } from './calls.ts';
import { elementOf, memberOf } from './members.ts';
import { Unknowable, readBinding, requireScalar, type Lowering } from './lowering.ts';
import { convert, meet, scalar, weakNumber } from './numbers.ts';
import { refuseElement } from './requirements.ts';
import { suggestName } from './suggestions.ts';
import { UNKNOWN, VOID, type Binding, type Node, type Scalar, type Value } from './values.ts';

type Kind<T extends string> = Extract<Node, { type: T }>;
type Rules = { readonly [T in Node['type']]?: (lowering: Lowering, node: Kind<T>) => Value };

const RULES: Rules = {
  Literal: lowerLiteral,
  Identifier: lowerIdentifier,
  MemberExpression: lowerMember,
  CallExpression: lowerCall,
  BinaryExpression: lowerBinary,
  LogicalExpression: lowerLogical,
  UnaryExpression: (lowering, node) =>
    lowerUnary(lowering, node.operator, lowering.parts.expression(node.argument), node),
  UpdateExpression: (lowering, node) => lowerUpdate(lowering, node, true),
  AssignmentExpression: (lowering, node) => lowerAssignment(lowering, node, true),
  ConditionalExpression: lowerConditional,
  SequenceExpression: (lowering, node) => {
    let last: Value = VOID;
    for (const each of node.expressions) last = lowering.parts.expression(each);
    return last;
  },
  ArrayExpression: lowerList,
  ObjectExpression: lowerObject,
  ArrowFunctionExpression: (lowering, node) => closure(lowering, node),
  FunctionExpression: (lowering, node) => closure(lowering, node),
  ParenthesizedExpression: (lowering, node) => lowering.parts.expression(node.expression)
};

/** Nodes of TypeScript around an expression, which say nothing about its value. */
const TYPE_ONLY = new Set([
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSTypeAssertion'
]);

const REFUSED: Readonly<Record<string, string>> = {
  AwaitExpression: "'await' does not work in kernels",
  YieldExpression: "'yield' does not work in kernels",
  NewExpression:
    "'new' does not work in kernels: use cuda.shared or cuda.local for arrays, { x, y } for records",
  ThisExpression: "'this' does not work in kernels: take what you need as a parameter",
  TemplateLiteral: 'text works only in console.log and cuda.assert',
  ChainExpression: "'?.' does not work in kernels: nothing is null there"
};

export function lowerExpression(lowering: Lowering, node: Node): Value {
  const rule = RULES[node.type] as ((lowering: Lowering, node: Node) => Value) | undefined;
  if (rule !== undefined) return rule(lowering, node);
  if (TYPE_ONLY.has(node.type))
    return lowerExpression(lowering, (node as unknown as { expression: Node }).expression);
  return lowering.fail(REFUSED[node.type] ?? 'this expression does not work in kernels', node);
}

function closure(lowering: Lowering, node: acorn.Function): Value {
  return {
    kind: 'function',
    node,
    source: lowering.frame.source,
    scope: lowering.scope,
    name: node.id?.name ?? ''
  };
}

function lowerLiteral(lowering: Lowering, node: acorn.Literal): Value {
  const { value, raw = '' } = node;
  if (typeof value === 'number')
    return weakNumber(value, lowering.place(node), /[.e]/i.test(raw) && !/^0x/i.test(raw));
  if (typeof value === 'bigint' || typeof value === 'boolean') return weakNumber(value, lowering.place(node));
  if (typeof value === 'string') return { kind: 'host', value, name: raw };
  return lowering.fail(`${raw} does not work in kernels`, node);
}

function lowerIdentifier(lowering: Lowering, node: acorn.Identifier): Value {
  const binding = lowering.scope.find(node.name, node);
  if (binding === undefined)
    return lowering.fail(
      `${node.name} is not defined`,
      node,
      lowering.frame.source.hint || suggestName(node.name)
    );
  return readBinding(binding, lowering.place(node));
}

function lowerMember(lowering: Lowering, node: acorn.MemberExpression): Value {
  if (!node.computed) {
    const object = lowering.parts.expression(node.object);
    return memberOf(lowering, object, (node.property as acorn.Identifier).name, node);
  }
  const [object, index] = lowering.inOrder([node.object, node.property]) as [Value, Value];
  if (object.kind === 'unknown') throw new Unknowable();
  if (object.kind === 'scalar') return refuseElement(lowering, node);
  if (object.kind !== 'array') return memberOf(lowering, object, keyOf(lowering, index, node.property), node);
  return elementOf(lowering, object, toIndex(lowering, index, node.property), node);
}

/** Returns the key of `object[key]`, which must be known when the kernel is compiled. */
function keyOf(lowering: Lowering, key: Value, node: Node): string {
  if (key.kind === 'unknown') throw new Unknowable();
  if (key.kind === 'host' && typeof key.value === 'string') return key.value;
  if (key.kind === 'scalar' && key.expression.kind === 'constant') return String(key.expression.value);
  return lowering.fail(
    'a list or object needs a constant index here',
    node,
    'use cuda.local(type, length) for an array'
  );
}

function lowerList(lowering: Lowering, node: acorn.ArrayExpression): Value {
  const nodes = node.elements.map(each =>
    each === null || each.type === 'SpreadElement' ? lowering.fail('a list needs plain elements', node) : each
  );
  const fields = lowering.inOrder(nodes).map((value, index): [string, Binding] => [String(index), value]);
  return { kind: 'object', list: true, fields: new Map(fields) };
}

function lowerObject(lowering: Lowering, node: acorn.ObjectExpression): Value {
  const names: string[] = [];
  const nodes = node.properties.map(each => {
    if (each.type !== 'Property' || each.computed || each.kind !== 'init' || each.key.type !== 'Identifier')
      return lowering.fail('an object in a kernel has plain fields: { name: value }', each);
    names.push(each.key.name);
    return each.value;
  });
  const values = lowering.inOrder(nodes);
  return { kind: 'object', list: false, fields: new Map(names.map((name, index) => [name, values[index]!])) };
}

/** Lowers a condition: a boolean. */
export function lowerCondition(lowering: Lowering, node: Node): Expression {
  const value = requireScalar(lowering, lowering.parts.expression(node), node, 'a boolean');
  return requireBoolean(lowering, value, node);
}

function requireBoolean(lowering: Lowering, { expression }: Scalar, node: Node): Expression {
  if (expression.type === 'bool') return expression;
  return lowering.fail(
    `a condition must be a boolean, found ${expression.type}`,
    node,
    'write x !== 0: JavaScript takes NaN for false and CUDA for true'
  );
}

function lowerLogical(lowering: Lowering, node: acorn.LogicalExpression): Value {
  if (node.operator === '??')
    return lowering.fail("'??' does not work in kernels: nothing is null there", node);
  const operation = node.operator === '&&' ? 'and' : 'or';
  const left = lowerCondition(lowering, node.left);
  const place = lowering.place(node);
  const { result: right, statements } = lowering.apart(() => lowerCondition(lowering, node.right));
  if (left.kind === 'constant') {
    if (left.value === (operation === 'or')) return scalar(left);
    lowering.out.push(...statements);
    return scalar(right);
  }
  if (statements.length === 0)
    return scalar({ kind: 'logical', operation, left, right, type: 'bool', place });
  const variable = lowering.variable('', 'bool');
  lowering.emit({ kind: 'declare', variable, value: left, place });
  const read: Expression = { kind: 'variable', variable, type: 'bool', place };
  const assigned = [...statements, { kind: 'assign', variable, value: right, place } as const];
  const [then, otherwise] = operation === 'and' ? [assigned, []] : [[], assigned];
  lowering.emit({ kind: 'if', condition: read, then, otherwise, place });
  return scalar(read);
}

function lowerConditional(lowering: Lowering, node: acorn.ConditionalExpression): Value {
  const condition = lowerCondition(lowering, node.test);
  if (condition.kind === 'constant')
    return lowering.parts.expression(condition.value === true ? node.consequent : node.alternate);
  const then = lowering.apart(() => lowering.parts.expression(node.consequent));
  const otherwise = lowering.apart(() => lowering.parts.expression(node.alternate));
  if (then.result === UNKNOWN || otherwise.result === UNKNOWN) throw new Unknowable();
  const a = requireScalar(lowering, then.result, node.consequent);
  const b = requireScalar(lowering, otherwise.result, node.alternate);
  const meeting = meet(a, b);
  if (typeof meeting === 'string') return lowering.fail(`the two values: ${meeting}`, node);
  const { type, weak } = meeting;
  const place = lowering.place(node);
  const [first, second] = [convert(a, type), convert(b, type)];
  if (then.statements.length === 0 && otherwise.statements.length === 0)
    return scalar({ kind: 'select', condition, then: first, otherwise: second, type, place }, weak);
  const variable = lowering.variable('', type);
  lowering.emit({ kind: 'declare', variable, value: null, place });
  lowering.emit({
    kind: 'if',
    condition,
    then: [...then.statements, { kind: 'assign', variable, value: first, place }],
    otherwise: [...otherwise.statements, { kind: 'assign', variable, value: second, place }],
    place
  });
  return scalar({ kind: 'variable', variable, type, place }, weak);
}
