/** Encodes expressions: each into a register that holds its value for all active lanes. Pure. */

import type { Expression } from '../program/program.ts';
import { ELEMENT_TYPES, isFloat, VALUE_TYPES, type ValueType } from '../program/types.ts';
import { BINARY_OPERATIONS, SPECIALS, UNARY_OPERATIONS } from './codes.ts';
import type { Encoder } from './encode.ts';

type Kind = Expression['kind'];
type Of<K extends Kind> = Extract<Expression, { kind: K }>;
const code = (type: ValueType): number => VALUE_TYPES.indexOf(type);

const children: { readonly [K in Kind]?: (expression: Of<K>) => readonly Expression[] } = {
  unary: ({ operand }) => [operand],
  binary: ({ left, right }) => [left, right],
  fma: ({ operands }) => operands,
  convert: ({ operand }) => [operand],
  narrow: ({ operand }) => [operand],
  select: ({ condition, then, otherwise }) => [condition, then, otherwise],
  logical: ({ left, right }) => [left, right]
};

const isDivision = (expression: Expression): boolean =>
  expression.kind === 'binary' &&
  !isFloat(expression.type) &&
  ['divide', 'floorDivide', 'remainder'].includes(expression.operation);

/** Returns true if evaluating an expression can fault: in lanes that do not need it, it must not be evaluated. */
function mayFault(expression: Expression): boolean {
  if (expression.kind === 'load' || isDivision(expression)) return true;
  const below = children[expression.kind] as ((expression: Expression) => readonly Expression[]) | undefined;
  return below?.(expression).some(mayFault) ?? false;
}

/** Encodes expressions, then releases their registers: the caller's instruction may reuse one for its result. */
export function operands(encoder: Encoder, expressions: readonly Expression[]): number[] {
  const found = expressions.map(expression => encodeExpression(encoder, expression));
  for (const register of found) encoder.registers.release(register);
  return found;
}

const into = (encoder: Encoder, type: ValueType, target: number | undefined): number =>
  target ?? encoder.registers.temporary(type);

/** Evaluates `body` in the lanes where a bool register is `truth`. */
function guarded(encoder: Encoder, condition: number, { place }: Expression, body: () => void): void {
  const [others, jump] = [encoder.mask(), 0];
  const start = encoder.add('if', place, condition, others, jump);
  body();
  encoder.land(start);
  encoder.add('merge', place, others);
}

function lazySelect(encoder: Encoder, expression: Of<'select'>): number {
  const { place, condition, then, otherwise, type } = expression;
  const joined = encoder.registers.joined(type);
  const [chosen = 0] = operands(encoder, [condition]);
  const [others, kept] = [encoder.mask(), encoder.mask()];
  const first = encoder.add('if', place, chosen, others, 0);
  encodeExpression(encoder, then, joined);
  encoder.land(first);
  const second = encoder.add('else', place, others, kept, 0);
  encodeExpression(encoder, otherwise, joined);
  encoder.land(second);
  encoder.add('merge', place, kept);
  return joined;
}

function lazyLogical(encoder: Encoder, expression: Of<'logical'>): number {
  const { place, operation, left, right } = expression;
  const joined = encoder.registers.joined('bool');
  encodeExpression(encoder, left, joined);
  let decides = joined;
  if (operation === 'or') {
    decides = encoder.registers.temporary('bool');
    encoder.add('unary', place, code('bool'), UNARY_OPERATIONS.indexOf('not'), decides, joined);
    encoder.registers.release(decides);
  }
  guarded(encoder, decides, expression, () => encodeExpression(encoder, right, joined));
  return joined;
}

function moved(encoder: Encoder, { type, place }: Expression, source: number, target?: number): number {
  if (target === undefined) return source;
  encoder.add('move', place, code(type), target, source);
  return target;
}

type Encode = { readonly [K in Kind]: (encoder: Encoder, expression: Of<K>, target?: number) => number };

const encode: Encode = {
  constant(encoder, expression, target) {
    const { type, value } = expression;
    const source = encoder.registers.filled('constant', type, encoder.data.constant(type, value));
    return moved(encoder, expression, source, target);
  },
  variable(encoder, expression, target) {
    const { id, type } = expression.variable;
    return moved(encoder, expression, encoder.registers.variable(id, type), target);
  },
  parameter(encoder, expression, target) {
    const source = encoder.registers.filled('parameter', expression.type, expression.index);
    return moved(encoder, expression, source, target);
  },
  special(encoder, expression, target) {
    const source = encoder.registers.filled('special', 'i32', SPECIALS.indexOf(expression.name));
    return moved(encoder, expression, source, target);
  },
  extent(encoder, expression, target) {
    const { type, array, axis } = expression;
    const source = encoder.registers.filled('extent', type, encoder.arrayNumber(array), axis);
    return moved(encoder, expression, source, target);
  },
  load(encoder, { type, place, array, index }, target) {
    const indices = operands(encoder, index);
    const result = into(encoder, type, target);
    encoder.add('load', place, encoder.arrayNumber(array), result, ...indices);
    return result;
  },
  unary(encoder, { type, place, operation, operand }, target) {
    const found = operands(encoder, [operand]);
    const result = into(encoder, type, target);
    encoder.add('unary', place, code(operand.type), UNARY_OPERATIONS.indexOf(operation), result, ...found);
    return result;
  },
  binary(encoder, expression, target) {
    const { type, place, operation, left, right } = expression;
    const [a = 0, b = 0] = operands(encoder, [left, right]);
    if (isDivision(expression)) encoder.add('nonzero', place, code(type), b);
    const result = into(encoder, type, target);
    encoder.add('binary', place, code(left.type), BINARY_OPERATIONS.indexOf(operation), result, a, b);
    return result;
  },
  fma(encoder, { type, place, operands: factors }, target) {
    const found = operands(encoder, factors);
    const result = into(encoder, type, target);
    encoder.add('fma', place, code(type), result, ...found);
    return result;
  },
  convert(encoder, expression, target) {
    const { type, place, operand } = expression;
    if (operand.type === type) return encodeExpression(encoder, operand, target);
    const found = operands(encoder, [operand]);
    const result = into(encoder, type, target);
    encoder.add('convert', place, code(operand.type), code(type), result, ...found);
    return result;
  },
  narrow(encoder, { type, place, element, operand }, target) {
    const found = operands(encoder, [operand]);
    const result = into(encoder, type, target);
    encoder.add('narrow', place, ELEMENT_TYPES.indexOf(element), result, ...found);
    return result;
  },
  select(encoder, expression, target) {
    const { type, place, condition, then, otherwise } = expression;
    if (mayFault(then) || mayFault(otherwise))
      return moved(encoder, expression, lazySelect(encoder, expression), target);
    const found = operands(encoder, [condition, then, otherwise]);
    const result = into(encoder, type, target);
    encoder.add('select', place, code(type), result, ...found);
    return result;
  },
  logical(encoder, expression, target) {
    const { place, operation, left, right } = expression;
    if (mayFault(right)) return moved(encoder, expression, lazyLogical(encoder, expression), target);
    const found = operands(encoder, [left, right]);
    const result = into(encoder, 'bool', target);
    encoder.add('binary', place, code('bool'), BINARY_OPERATIONS.indexOf(operation), result, ...found);
    return result;
  }
};

/** Encodes an expression into `target`, the register of a variable, or into a register of its choice. Returns the register. */
export function encodeExpression(encoder: Encoder, expression: Expression, target?: number): number {
  const write = encode[expression.kind] as (
    encoder: Encoder,
    expression: Expression,
    target?: number
  ) => number;
  return write(encoder, expression, target);
}
