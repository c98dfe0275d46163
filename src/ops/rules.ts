/** What each elementwise function does to the types of its operands, as NumPy 2 has it. Pure. */

import type { Scalar } from '../dtype/host-array.ts';
import { ArgumentError, DTypeError } from '../base/errors.ts';
import { Expression } from '../compute/program/expression.ts';
import type { ElementTypeName, Opcode } from '../compute/program/opcodes.ts';
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

/** The type in which terms meet: expressions by their types, values by their kind. */
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

type Rule = (name: Opcode, terms: readonly Term[]) => Expression;

function refuse(name: Opcode, type: ElementTypeName, advice = ''): never {
  throw new DTypeError(`${name} has no meaning for ${type}${advice}`);
}

/** All operands in their common type, which `adjust` may change or refuse; the result has it too, or `result` of it. */
function inType(
  adjust: (type: ElementTypeName, name: Opcode) => ElementTypeName,
  result: (type: ElementTypeName) => ElementTypeName = type => type
): Rule {
  return (name, terms) => {
    const type = adjust(commonType(terms), name);
    return Expression.operation(name, result(type), ...terms.map(term => toExpression(term, type)));
  };
}

const same = (type: ElementTypeName): ElementTypeName => type;
const toBool = (): ElementTypeName => 'bool';

const notBool = (type: ElementTypeName, name: Opcode): ElementTypeName =>
  type === 'bool'
    ? refuse(name, type, name === 'negative' ? ': use logicalNot' : ': use notEqual or logicalXor')
    : type;
const boolAsInt8 = (type: ElementTypeName): ElementTypeName => (type === 'bool' ? 'int8' : type);
const floating = (type: ElementTypeName): ElementTypeName => floatFor(type);
const realFloating = (type: ElementTypeName, name: Opcode): ElementTypeName =>
  isComplex(type) ? refuse(name, type) : floatFor(type);
const real = (type: ElementTypeName, name: Opcode): ElementTypeName =>
  isComplex(type) ? refuse(name, type) : type;
const realNumber = (type: ElementTypeName, name: Opcode): ElementTypeName => boolAsInt8(real(type, name));
const trueDivision = (type: ElementTypeName): ElementTypeName =>
  isFloat(type) || isComplex(type) ? type : 'float64';
const bits = (type: ElementTypeName, name: Opcode): ElementTypeName =>
  isInteger(type) || type === 'bool' ? type : refuse(name, type, ': it is for integers and bool');
const shift = (type: ElementTypeName, name: Opcode): ElementTypeName => bits(boolAsInt8(type), name);

/** Each operand by itself is true or not. */
const logical: Rule = (name, terms) =>
  Expression.operation(name, 'bool', ...terms.map(term => truth(toExpression(term, commonType([term])))));

function truth(expression: Expression): Expression {
  if (expression.type === 'bool') return expression;
  return Expression.operation('cast', 'bool', expression);
}

/** Whole numbers are rounded already. */
const rounding: Rule = (name, terms) => {
  const type = commonType(terms);
  if (isFloat(type)) return Expression.operation(name, type, ...terms.map(term => toExpression(term, type)));
  return isComplex(type) ? refuse(name, type) : toExpression(terms[0] as Term, type);
};

const power: Rule = (name, terms) => {
  const exponent = terms[1] as Term;
  const type = boolAsInt8(commonType(terms));
  if (isInteger(type) && !(exponent instanceof Expression) && Number(exponent) < 0) {
    throw new ArgumentError('integers to a negative power are no integers: convert to a float first');
  }
  if (exponent === 2 && !isInteger(type))
    return Expression.operation('square', type, toExpression(terms[0] as Term, type));
  return Expression.operation(name, type, ...terms.map(term => toExpression(term, type)));
};

const choice: Rule = (name, [condition, ...values]) => {
  const type = commonType(values);
  const chosen = condition instanceof Expression ? condition : toExpression(condition as Scalar, 'bool');
  return Expression.operation(name, type, truth(chosen), ...values.map(value => toExpression(value, type)));
};

const ordered = inType(real, toBool);
const analytic = inType(floating);
const realAnalytic = inType(realFloating);

const RULES: Readonly<Record<Exclude<Opcode, 'cast'>, Rule>> = {
  negative: inType(notBool),
  abs: inType(same, partOf),
  sign: inType(notBool),
  square: inType(boolAsInt8),
  reciprocal: inType(trueDivision),
  sqrt: analytic,
  rsqrt: realAnalytic,
  cbrt: realAnalytic,
  exp: analytic,
  exp2: realAnalytic,
  expm1: realAnalytic,
  log: analytic,
  log2: realAnalytic,
  log10: analytic,
  log1p: realAnalytic,
  sin: analytic,
  cos: analytic,
  tan: analytic,
  asin: analytic,
  acos: analytic,
  atan: analytic,
  sinh: analytic,
  cosh: analytic,
  tanh: analytic,
  asinh: analytic,
  acosh: analytic,
  atanh: analytic,
  erf: realAnalytic,
  floor: rounding,
  ceil: rounding,
  trunc: rounding,
  round: rounding,
  real: inType(same, partOf),
  imag: inType(same, partOf),
  conj: inType(same),
  isnan: inType(same, toBool),
  isinf: inType(same, toBool),
  isfinite: inType(same, toBool),
  signbit: inType(real, toBool),
  logical_not: logical,
  bitwise_invert: inType(bits),
  add: inType(same),
  subtract: inType(notBool),
  multiply: inType(same),
  divide: inType(trueDivision),
  floor_divide: inType(realNumber),
  remainder: inType(realNumber),
  pow: power,
  atan2: realAnalytic,
  hypot: realAnalytic,
  copysign: realAnalytic,
  logaddexp: realAnalytic,
  minimum: inType(real),
  maximum: inType(real),
  bitwise_and: inType(bits),
  bitwise_or: inType(bits),
  bitwise_xor: inType(bits),
  bitwise_left_shift: inType(shift),
  bitwise_right_shift: inType(shift),
  logical_and: logical,
  logical_or: logical,
  logical_xor: logical,
  equal: inType(same, toBool),
  not_equal: inType(same, toBool),
  less: ordered,
  less_equal: ordered,
  greater: ordered,
  greater_equal: ordered,
  where: choice
};

/** The expression of a function of terms. @throws DTypeError where it has no meaning for their types, ValueError, ArgumentError */
export function applyRule(name: Exclude<Opcode, 'cast'>, terms: readonly Term[]): Expression {
  return RULES[name](name, terms);
}
