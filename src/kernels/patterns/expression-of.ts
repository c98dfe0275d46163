/** Bodies without loops and jumps as expressions of array operations, which both backends run in wide steps. Pure. */

import { Expression } from '../../compute/program/expression.ts';
import type { ElementTypeName } from '../../compute/program/element-types.ts';
import type { Opcode } from '../../compute/program/instructions.ts';
import type {
  BinaryOperation,
  Expression as KernelExpression,
  Program,
  Statement,
  UnaryOperation,
  Variable
} from '../program/program.ts';
import { ELEMENTS, isFloat, isInteger, type ElementType, type ValueType } from '../program/types.ts';

/** Thrown for what expressions do not have. */
class NoExpression extends Error {}

type Values = Map<Variable, Expression>;

const typeName = (type: ElementType): ElementTypeName => ELEMENTS[type].dtype as ElementTypeName;

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
  sqrt: 'sqrt',
  cbrt: 'cbrt',
  exp: 'exp',
  exp2: 'exp2',
  expm1: 'expm1',
  log: 'log',
  log2: 'log2',
  log10: 'log10',
  log1p: 'log1p',
  sin: 'sin',
  cos: 'cos',
  tan: 'tan',
  asin: 'asin',
  acos: 'acos',
  atan: 'atan',
  sinh: 'sinh',
  cosh: 'cosh',
  tanh: 'tanh',
  asinh: 'asinh',
  acosh: 'acosh',
  atanh: 'atanh',
  erf: 'erf',
  isnan: 'isnan',
  isinf: 'isinf',
  isfinite: 'isfinite'
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

const FLOAT_BINARY: Partial<Readonly<Record<BinaryOperation, Opcode>>> = {
  divide: 'divide',
  pow: 'pow',
  atan2: 'atan2',
  hypot: 'hypot',
  copysign: 'copysign'
};

/** Returns the value of a program's variable as an expression of its array parameters; undefined if there is none. */
export function expressionOf(program: Program, variable: Variable): Expression | undefined {
  const values: Values = new Map();
  try {
    run(program, program.body, values);
    return values.get(variable);
  } catch (error) {
    if (error instanceof NoExpression) return undefined;
    throw error;
  }
}

function run(program: Program, statements: readonly Statement[], values: Values): void {
  for (const statement of statements) {
    switch (statement.kind) {
      case 'declare':
        if (statement.value !== null)
          values.set(statement.variable, evaluate(program, statement.value, values));
        break;
      case 'assign':
        values.set(statement.variable, evaluate(program, statement.value, values));
        break;
      case 'block':
        run(program, statement.body, values);
        break;
      case 'if':
        choose(program, statement, values);
        break;
      default:
        throw new NoExpression();
    }
  }
}

/** Evaluates both arms, and takes each variable from one of them. */
function choose(
  program: Program,
  { condition, then, otherwise }: Extract<Statement, { kind: 'if' }>,
  values: Values
): void {
  const test = evaluate(program, condition, values);
  const arms = [then, otherwise].map(statements => {
    const own: Values = new Map(values);
    run(program, statements, own);
    return own;
  });
  const [first, second] = arms as [Values, Values];
  for (const variable of new Set([...first.keys(), ...second.keys()])) {
    const [a, b] = [first.get(variable), second.get(variable)];
    // A variable of one arm only is not used behind it.
    if (a === undefined || b === undefined) continue;
    values.set(variable, a === b ? a : Expression.operation('where', a.type, test, a, b));
  }
}

function evaluate(program: Program, node: KernelExpression, values: Values): Expression {
  const of = (each: KernelExpression): Expression => evaluate(program, each, values);
  switch (node.kind) {
    case 'constant':
      return Expression.value(node.value, typeName(node.type));
    case 'variable':
      return values.get(node.variable) ?? refuse();
    case 'load':
      return element(program, node.array);
    case 'unary':
      return Expression.operation(UNARY[node.operation] ?? refuse(), typeName(node.type), of(node.operand));
    case 'binary':
      return Expression.operation(
        opcodeFor(node.operation, node.left.type),
        typeName(node.type),
        of(node.left),
        of(node.right)
      );
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
      // Casts of arrays do not saturate.
      if (isFloat(node.operand.type) && isInteger(node.type)) return refuse();
      return cast(of(node.operand), typeName(node.type));
    case 'narrow':
      return cast(cast(of(node.operand), typeName(node.element)), typeName(node.type));
    default:
      return refuse();
  }
}

function refuse(): never {
  throw new NoExpression();
}

const cast = (value: Expression, type: ElementTypeName): Expression =>
  value.type === type ? value : Expression.operation('cast', type, value);

function element(
  program: Program,
  { from, index }: { readonly from: string; readonly index: number }
): Expression {
  const parameter = from === 'parameter' ? program.parameters[index]! : undefined;
  if (parameter?.kind !== 'array') return refuse();
  return cast(
    Expression.input(index, typeName(parameter.element)),
    typeName(ELEMENTS[parameter.element].value)
  );
}

function opcodeFor(operation: BinaryOperation, type: ValueType): Opcode {
  return (isFloat(type) ? FLOAT_BINARY[operation] : undefined) ?? BINARY[operation] ?? refuse();
}
