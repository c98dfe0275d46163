/** What elementwise functions do to the types of their operands, as NumPy 2 has it. Pure. */

import { dtypes, integerRange } from '../dtype/dtype.ts';
import type { Scalar } from '../dtype/host-array.ts';
import { ArgumentError, DTypeError } from '../base/errors.ts';
import { Expression } from '../compute/program/expression.ts';
import type { ElementTypeName } from '../compute/program/element-types.ts';
import { INSTRUCTIONS, type Opcode } from '../compute/program/instructions.ts';
import {
  floatFor,
  isComplex,
  isFloat,
  isInteger,
  partOf,
  promote,
  promoteValue,
  typeOfValue
} from '../compute/program/promotion.ts';

export type Term = Expression | Scalar;

/** An expression converted to a type. */
export function cast(term: Expression, type: ElementTypeName): Expression {
  if (term.type === type) return term;
  if (term.node.kind === 'value' && isWeakly(term.node.value, type))
    return Expression.value(term.node.value, type);
  return Expression.operation('cast', type, term);
}

/** Values are written in the type they are needed in, where that loses nothing. */
function isWeakly(value: Scalar, type: ElementTypeName): boolean {
  if (typeof value === 'object') return isComplex(type);
  if (typeof value === 'number')
    return isFloat(type) || isComplex(type) || (isInteger(type) && Number.isInteger(value));
  return type !== 'bool' || typeof value === 'boolean';
}

/** The type that terms promote to: expressions by their types, values by their kind. */
function commonType(terms: readonly Term[]): ElementTypeName {
  const types = terms.filter(term => term instanceof Expression).map(({ type }) => type);
  const values = terms.filter(term => !(term instanceof Expression)) as Scalar[];
  const start = types.length > 0 ? types.reduce(promote) : values.map(typeOfValue).reduce(promote);
  return values.reduce<ElementTypeName>((type, value) => promote(promoteValue(value, type), type), start);
}

function toExpression(term: Term, type: ElementTypeName): Expression {
  return term instanceof Expression
    ? cast(term, type)
    : cast(Expression.value(term, promoteValue(term, type)), type);
}

/** Makes the expression of a function of terms. Throws DTypeError where it has no meaning for their types, ValueError, ArgumentError. */
export type Rule = (name: Opcode, terms: readonly Term[]) => Expression;

function refuse(name: string, type: ElementTypeName, advice = ''): never {
  throw new DTypeError(`${name} has no meaning for ${type}${advice}`);
}

/** Operands in their common type, which `adjust` may change or refuse; the table of instructions says what the result makes of it. */
export function inType(adjust: (type: ElementTypeName, name: Opcode) => ElementTypeName): Rule {
  return (name, terms) => {
    const type = adjust(commonType(terms), name);
    const { result } = INSTRUCTIONS[name];
    return Expression.operation(
      name,
      result === 'bool' ? 'bool' : result === 'part' ? partOf(type) : type,
      ...terms.map(term => toExpression(term, type))
    );
  };
}

export const same = (type: ElementTypeName): ElementTypeName => type;

export const notBool = (type: ElementTypeName, name: Opcode): ElementTypeName =>
  type === 'bool'
    ? refuse(name, type, name === 'negative' ? ': use logicalNot' : ': use notEqual or logicalXor')
    : type;
export const boolAsInt8 = (type: ElementTypeName): ElementTypeName => (type === 'bool' ? 'int8' : type);
const floating = (type: ElementTypeName): ElementTypeName => floatFor(type);
const realFloating = (type: ElementTypeName, name: Opcode): ElementTypeName =>
  isComplex(type) ? refuse(name, type) : floatFor(type);
export const notComplex = (type: ElementTypeName, name: string): ElementTypeName =>
  isComplex(type) ? refuse(name, type) : type;
export const realNumber = (type: ElementTypeName, name: Opcode): ElementTypeName =>
  boolAsInt8(notComplex(type, name));
export const trueDivision = (type: ElementTypeName): ElementTypeName =>
  isFloat(type) || isComplex(type) ? type : 'float64';
export const bits = (type: ElementTypeName, name: Opcode): ElementTypeName =>
  isInteger(type) || type === 'bool' ? type : refuse(name, type, ': it is for integers and bool');
export const shift = (type: ElementTypeName, name: Opcode): ElementTypeName => bits(boolAsInt8(type), name);

/** Each operand by itself is true or not. */
export const logical: Rule = (name, terms) =>
  Expression.operation(name, 'bool', ...terms.map(term => truth(toExpression(term, commonType([term])))));

function truth(expression: Expression): Expression {
  if (expression.type === 'bool') return expression;
  return Expression.operation('cast', 'bool', expression);
}

/** Whole numbers are rounded already. */
export const rounding: Rule = (name, terms) => {
  const type = commonType(terms);
  if (isFloat(type)) return Expression.operation(name, type, ...terms.map(term => toExpression(term, type)));
  return isComplex(type) ? refuse(name, type) : toExpression(terms[0]!, type);
};

export const power: Rule = (name, terms) => {
  const exponent = terms[1]!;
  const type = boolAsInt8(commonType(terms));
  if (isInteger(type) && !(exponent instanceof Expression) && Number(exponent) < 0)
    throw new ArgumentError('integers to a negative power are not integers: convert to a float first');
  if (exponent === 2 && !isInteger(type))
    return Expression.operation('square', type, toExpression(terms[0]!, type));
  return Expression.operation(name, type, ...terms.map(term => toExpression(term, type)));
};

export const choice: Rule = (name, [condition, ...values]) => {
  const type = commonType(values);
  const chosen = condition instanceof Expression ? condition : toExpression(condition!, 'bool');
  return Expression.operation(name, type, truth(chosen), ...values.map(value => toExpression(value, type)));
};

/** Functions of analysis: integers become floats. */
export const analytic = inType(floating);
/** Functions of analysis that have no complex form here. */
export const realAnalytic = inType(realFloating);

type Bound = 'minimum' | 'maximum';

/** The first operand, limited by one more operand for each bound: `maximum` for a least value, `minimum` for a greatest. */
export const clipping =
  (...bounds: readonly Bound[]) =>
  ([x, ...limits]: readonly Term[]): Expression => {
    const used = bounds
      .map((bound, index) => ({ bound, limit: limits[index]! }))
      .filter(({ bound, limit }) => !limitsNothing(bound, limit, x!));
    const type = notComplex(commonType([x!, ...used.map(({ limit }) => limit)]), 'clip');
    return used.reduce(
      (value, { bound, limit }) => Expression.operation(bound, type, value, toExpression(limit, type)),
      toExpression(x!, type)
    );
  };

/** Whether an integer array holds no value past a whole number, which then need not fit its dtype. */
function limitsNothing(bound: Bound, limit: Term, x: Term): boolean {
  if (!(x instanceof Expression && isInteger(x.type))) return false;
  if (typeof limit !== 'bigint' && !Number.isInteger(limit)) return false;
  const [least, most] = integerRange(dtypes[x.type]);
  return bound === 'maximum' ? (limit as number) <= least : (limit as number) >= most;
}
