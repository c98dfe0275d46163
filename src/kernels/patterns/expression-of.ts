/** Bodies without loops as expressions of array operations, which both backends run in wide steps. Pure. */

import { dtypes, integerRange } from '../../dtype/dtype.ts';
import { Expression } from '../../compute/program/expression.ts';
import type { ElementTypeName } from '../../compute/program/element-types.ts';
import type { Opcode } from '../../compute/program/instructions.ts';
import { isMathFunction } from '../program/math-functions.ts';
import type {
  BinaryOperation,
  Expression as KernelExpression,
  Place,
  Program,
  Statement,
  UnaryOperation,
  Variable
} from '../program/program.ts';
import {
  ELEMENTS,
  isComplex,
  isFloat,
  isInteger,
  type ElementType,
  type ValueType
} from '../program/types.ts';

/** Thrown for what expressions do not have. */
class NoExpression extends Error {
  readonly place: Place;

  constructor(place: Place) {
    super();
    this.place = place;
  }
}

type Values = Map<Variable, Expression>;

const typeName = (type: ElementType): ElementTypeName => ELEMENTS[type].dtype as ElementTypeName;

/** Beside the functions of Math with the same name in both. */
const UNARY: Partial<Readonly<Record<UnaryOperation, Opcode>>> = {
  negate: 'negative',
  not: 'logical_not',
  invert: 'bitwise_invert',
  abs: 'abs',
  sign: 'sign',
  floor: 'floor',
  ceil: 'ceil',
  trunc: 'trunc',
  rint: 'round',
  exp2: 'exp2',
  erf: 'erf',
  isnan: 'isnan',
  isinf: 'isinf',
  isfinite: 'isfinite',
  real: 'real',
  imag: 'imag',
  conj: 'conj'
};

/** Operations whose meaning is the same for all types that they take here. */
const BINARY: Partial<Readonly<Record<BinaryOperation, Opcode>>> = {
  add: 'add',
  subtract: 'subtract',
  multiply: 'multiply',
  and: 'bitwise_and',
  or: 'bitwise_or',
  xor: 'bitwise_xor',
  equal: 'equal',
  notEqual: 'not_equal',
  less: 'less',
  lessEqual: 'less_equal',
  greater: 'greater',
  greaterEqual: 'greater_equal'
};

/** Operations of floats and complex numbers. */
const FLOAT_BINARY: Partial<Readonly<Record<BinaryOperation, Opcode>>> = {
  divide: 'divide',
  pow: 'pow',
  atan2: 'atan2',
  hypot: 'hypot',
  copysign: 'copysign',
  complex: 'complex'
};

/** Returns the value of a program's variable as an expression of its array parameters, or the place of what expressions do not have. */
export function expressionOf(program: Program, variable: Variable): Expression | Place {
  const values: Values = new Map();
  try {
    run(program, program.body, values, undefined);
    return values.get(variable)!;
  } catch (error) {
    if (error instanceof NoExpression) return error.place;
    throw error;
  }
}

/** Runs statements. `block` is the block that they end, so that they may leave it; undefined where others follow. */
function run(
  program: Program,
  statements: readonly Statement[],
  values: Values,
  block: number | undefined
): void {
  for (const [index, statement] of statements.entries()) {
    switch (statement.kind) {
      case 'declare':
        if (statement.value !== null)
          values.set(statement.variable, evaluate(program, statement.value, values));
        break;
      case 'assign':
        values.set(statement.variable, evaluate(program, statement.value, values));
        break;
      case 'block':
        run(program, statement.body, values, statement.id);
        break;
      case 'if': {
        const arms = [statement.then, statement.otherwise];
        const leaves = arms.some(endsInLeave);
        // Behind an arm that leaves, what follows belongs to the other one.
        const rest = leaves ? statements.slice(index + 1) : [];
        const whole = arms.map(arm => (endsInLeave(arm) ? arm : [...arm, ...rest]));
        choose(
          program,
          evaluate(program, statement.condition, values),
          whole,
          values,
          leaves ? block : undefined
        );
        if (leaves) return;
        break;
      }
      case 'leave':
        if (statement.target !== block || statement.to !== 'end') throw new NoExpression(statement.place);
        return;
      default:
        throw new NoExpression(statement.place);
    }
  }
}

const endsInLeave = (arm: readonly Statement[]): boolean => arm.at(-1)?.kind === 'leave';

/** Evaluates both arms, and takes each variable from one of them. */
function choose(
  program: Program,
  condition: Expression,
  arms: readonly (readonly Statement[])[],
  values: Values,
  block: number | undefined
): void {
  const [first, second] = arms.map(statements => {
    const own: Values = new Map(values);
    run(program, statements, own, block);
    return own;
  }) as [Values, Values];
  for (const variable of new Set([...first.keys(), ...second.keys()])) {
    const [a, b] = [first.get(variable), second.get(variable)];
    // A variable of one arm only is not used behind it.
    if (a === undefined || b === undefined) continue;
    values.set(variable, a === b ? a : Expression.operation('where', a.type, condition, a, b));
  }
}

function evaluate(program: Program, node: KernelExpression, values: Values): Expression {
  const of = (each: KernelExpression): Expression => evaluate(program, each, values);
  switch (node.kind) {
    case 'constant':
      return Expression.value(node.value, typeName(node.type));
    case 'variable':
      return values.get(node.variable) ?? refuse(node);
    case 'load':
      return element(program, node);
    case 'unary':
      return Expression.operation(unaryOpcode(node), typeName(node.type), of(node.operand));
    case 'binary':
      return binary(node, of(node.left), of(node.right));
    case 'logical':
      return Expression.operation(
        node.operation === 'and' ? 'logical_and' : 'logical_or',
        'bool',
        of(node.left),
        of(node.right)
      );
    case 'select':
      return Expression.operation(
        'where',
        typeName(node.type),
        of(node.condition),
        of(node.then),
        of(node.otherwise)
      );
    case 'convert':
      if (isFloat(node.operand.type) && isInteger(node.type)) return saturated(of(node.operand), node.type);
      return cast(of(node.operand), typeName(node.type));
    case 'narrow':
      return cast(cast(of(node.operand), typeName(node.element)), typeName(node.type));
    default:
      return refuse(node);
  }
}

function refuse({ place }: KernelExpression): never {
  throw new NoExpression(place);
}

type Of<Kind extends KernelExpression['kind']> = Extract<KernelExpression, { kind: Kind }>;

function unaryOpcode(node: Of<'unary'>): Opcode {
  const { operation } = node;
  return isMathFunction(operation) ? operation : (UNARY[operation] ?? refuse(node));
}

function binary(node: Of<'binary'>, left: Expression, right: Expression): Expression {
  const { operation, type } = node;
  if (operation === 'min' || operation === 'max') return extreme(operation, left, right);
  const floats = isFloat(node.left.type) || isComplex(node.left.type);
  const opcode = (floats ? FLOAT_BINARY[operation] : undefined) ?? BINARY[operation] ?? refuse(node);
  return Expression.operation(opcode, typeName(type), left, right);
}

/** Returns the smaller or larger of two numbers. Of zeros of both signs array operations return the first, and Math.min -0. */
function extreme(operation: 'min' | 'max', left: Expression, right: Expression): Expression {
  const { type } = left;
  const found = Expression.operation(operation === 'min' ? 'minimum' : 'maximum', type, left, right);
  if (type !== 'float32' && type !== 'float64') return found;
  if (isNoZero(left) || isNoZero(right)) return found;
  const negative = Expression.operation('signbit', 'bool', left);
  const [first, second] = operation === 'min' ? [left, right] : [right, left];
  const ofEqual = Expression.operation('where', type, negative, first, second);
  return Expression.operation(
    'where',
    type,
    Expression.operation('equal', 'bool', left, right),
    ofEqual,
    found
  );
}

const isNoZero = ({ node }: Expression): boolean => node.kind === 'value' && Number(node.value) !== 0;

/** Returns an integer of a float, truncated and saturated: casts of arrays are not defined outside the range of the type. */
function saturated(value: Expression, type: ValueType): Expression {
  const name = typeName(type);
  const [least, most] = integerRange(dtypes[name]);
  const limit = (number: bigint): Expression => Expression.value(Number(number), value.type);
  const is = (opcode: Opcode, other: Expression): Expression =>
    Expression.operation(opcode, 'bool', value, other);
  const choose = (condition: Expression, chosen: bigint, otherwise: Expression): Expression =>
    Expression.operation('where', name, condition, Expression.value(chosen, name), otherwise);
  const number = choose(is('not_equal', value), 0n, cast(value, name));
  return choose(is('greater_equal', limit(most + 1n)), most, choose(is('less', limit(least)), least, number));
}

const cast = (value: Expression, type: ElementTypeName): Expression =>
  value.type === type ? value : Expression.operation('cast', type, value);

function element(program: Program, node: Of<'load'>): Expression {
  const { from, index } = node.array;
  const parameter = from === 'parameter' ? program.parameters[index]! : undefined;
  if (parameter?.kind !== 'array') return refuse(node);
  return cast(
    Expression.input(index, typeName(parameter.element)),
    typeName(ELEMENTS[parameter.element].value)
  );
}
