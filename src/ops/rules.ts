/** Types of the operands and results of elementwise functions, by the rules of NumPy 2. Pure. */

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

/** Converts an expression to a type. */
export function cast(term: Expression, type: ElementTypeName): Expression {
  if (term.type === type) return term;
  if (term.node.kind === 'value' && isWeakly(term.node.value, type))
    return Expression.value(term.node.value, type);
  return Expression.operation('cast', type, term);
}

/** Returns true if a value can be written in a type without a cast. */
function isWeakly(value: Scalar, type: ElementTypeName): boolean {
  if (typeof value === 'object') return isComplex(type);
  if (typeof value === 'number')
    return isFloat(type) || isComplex(type) || (isInteger(type) && Number.isInteger(value));
  return type !== 'bool' || typeof value === 'boolean';
}

/** Returns the type that terms promote to: expressions by their types, values by their kind. */
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

/** Makes the expression of a function of terms. Throws DTypeError if it is not defined for their types, ValueError, ArgumentError. */
export type Rule = (name: Opcode, terms: readonly Term[]) => Expression;

function refuse(name: string, type: ElementTypeName, advice = ''): never {
  throw new DTypeError(`${name} is not defined for ${type}${advice}`);
}

/** Makes a rule that converts operands to their common type, which `adjust` may change or refuse. The instruction sets the result type. */
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
  isInteger(type) || type === 'bool' ? type : refuse(name, type, ', expected integers or bool');
export const shift = (type: ElementTypeName, name: Opcode): ElementTypeName => bits(boolAsInt8(type), name);

/** Tests each operand for truth, in its own type. */
export const logical: Rule = (name, terms) =>
  Expression.operation(name, 'bool', ...terms.map(term => truth(toExpression(term, commonType([term])))));

function truth(expression: Expression): Expression {
  if (expression.type === 'bool') return expression;
  return Expression.operation('cast', 'bool', expression);
}

/** Integers are rounded already. */
export const rounding: Rule = (name, terms) => {
  const type = commonType(terms);
  if (isFloat(type)) return Expression.operation(name, type, ...terms.map(term => toExpression(term, type)));
  return isComplex(type) ? refuse(name, type) : toExpression(terms[0]!, type);
};

export const power: Rule = (name, terms) => {
  const exponent = terms[1]!;
  const type = boolAsInt8(commonType(terms));
  if (isInteger(type) && !(exponent instanceof Expression) && Number(exponent) < 0)
    throw new ArgumentError(
      'pow: an integer to a negative power is not an integer: convert it to a float first'
    );
  if (exponent === 2 && !isInteger(type))
    return Expression.operation('square', type, toExpression(terms[0]!, type));
  return Expression.operation(name, type, ...terms.map(term => toExpression(term, type)));
};

export const choice: Rule = (name, [condition, ...values]) => {
  const type = commonType(values);
  const chosen = condition instanceof Expression ? condition : toExpression(condition!, 'bool');
  return Expression.operation(name, type, truth(chosen), ...values.map(value => toExpression(value, type)));
};

/** Mathematical functions: integers become floats. */
export const analytic = inType(floating);
/** Mathematical functions without a complex form. */
export const realAnalytic = inType(realFloating);

type Bound = 'minimum' | 'maximum';

/** Limits the first operand by one more operand for each bound: `maximum` for a lower bound, `minimum` for an upper one. */
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

/** Returns true if a bound is at or past the end of an integer dtype, and so need not be one of its values. */
function limitsNothing(bound: Bound, limit: Term, x: Term): boolean {
  if (!(x instanceof Expression && isInteger(x.type))) return false;
  if (typeof limit !== 'bigint' && !Number.isInteger(limit)) return false;
  const [least, most] = integerRange(dtypes[x.type]);
  return bound === 'maximum' ? (limit as number) <= least : (limit as number) >= most;
}
