/** Operations of one and two operands as CUDA C++. Pure. */

import type { BinaryOperation, Expression, UnaryOperation } from '../program/program.ts';
import { isFloat, isSigned, type ValueType } from '../program/types.ts';
import { callPiece, typed, type Emission } from './emission.ts';
import { call, cast, infix, LEVEL, prefix, primary, type Text } from './text.ts';
import { constant, TYPES } from './types.ts';

type Unary = Extract<Expression, { kind: 'unary' }>;
type Binary = Extract<Expression, { kind: 'binary' }>;

const isLong = (type: ValueType): boolean => type === 'i64' || type === 'u64';
const unsignedType = (type: ValueType): ValueType => (isLong(type) ? 'u64' : 'u32');
const asUnsigned = (text: Text): Text => ({ ...text, unsigned: true });

/** Functions of floats: those of float end in f. */
const FUNCTIONS: ReadonlySet<UnaryOperation> = new Set<UnaryOperation>(
  `floor ceil trunc rint sqrt rsqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
  erf erfc tgamma lgamma`.split(/\s+/) as UnaryOperation[]
);

const form = (type: ValueType, name: string): string => (type === 'f32' ? `${name}f` : name);

export function unary(emission: Emission, { operation, operand, type }: Unary): Text {
  const text = typed(emission, operand);
  const from = operand.type;
  if (FUNCTIONS.has(operation)) return isFloat(from) ? call(form(from, operation), text) : text;
  switch (operation) {
    case 'negate':
      return isSigned(from)
        ? asUnsigned(infix(constant(unsignedType(from), 0), '-', loose(emission, operand), LEVEL.sum))
        : prefix('-', text);
    case 'not':
      return prefix('!', text);
    case 'invert':
      return prefix('~', text);
    case 'abs':
      if (isFloat(from)) return call(form(from, 'fabs'), text);
      return isSigned(from) ? callPiece(emission, 'absolute', text) : text;
    case 'sign':
      // An unsigned number is not below 0.
      return isFloat(from) || isSigned(from)
        ? callPiece(emission, 'signOf', text)
        : cast(TYPES[type], infix(text, '!=', constant(from, 0), LEVEL.equality));
    case 'isnan':
    case 'isinf':
    case 'isfinite':
      return isFloat(from) ? call(operation, text) : primary(String(operation === 'isfinite'));
    case 'bits':
      return call(REINTERPRETED[from] ?? '__longlong_as_double', text);
    default:
      return bits(operation, from, text);
  }
}

const REINTERPRETED: Readonly<Partial<Record<ValueType, string>>> = {
  f32: '__float_as_int',
  i32: '__int_as_float',
  u32: '__uint_as_float',
  f64: '__double_as_longlong'
};

function bits(operation: UnaryOperation, from: ValueType, text: Text): Text {
  const made = call(`__${operation}${isLong(from) ? 'll' : ''}`, text);
  return operation === 'brev' && isSigned(from) ? asUnsigned(made) : made;
}

interface Operator {
  readonly sign: string;
  readonly level: number;
}

const OPERATORS: Readonly<Partial<Record<BinaryOperation, Operator>>> = {
  add: { sign: '+', level: LEVEL.sum },
  subtract: { sign: '-', level: LEVEL.sum },
  multiply: { sign: '*', level: LEVEL.product },
  divide: { sign: '/', level: LEVEL.product },
  remainder: { sign: '%', level: LEVEL.product },
  and: { sign: '&', level: LEVEL.and },
  or: { sign: '|', level: LEVEL.or },
  xor: { sign: '^', level: LEVEL.xor },
  shiftLeft: { sign: '<<', level: LEVEL.shift },
  shiftRight: { sign: '>>', level: LEVEL.shift },
  equal: { sign: '==', level: LEVEL.equality },
  notEqual: { sign: '!=', level: LEVEL.equality },
  less: { sign: '<', level: LEVEL.relation },
  lessEqual: { sign: '<=', level: LEVEL.relation },
  greater: { sign: '>', level: LEVEL.relation },
  greaterEqual: { sign: '>=', level: LEVEL.relation }
};

export function binary(emission: Emission, node: Binary): Text {
  return isFloat(node.left.type) ? ofFloats(emission, node) : ofIntegers(emission, node);
}

function plain(operation: BinaryOperation, left: Text, right: Text): Text {
  const { sign, level } = OPERATORS[operation]!;
  return infix(left, sign, right, level);
}

const CALLS: Readonly<Partial<Record<BinaryOperation, string>>> = {
  remainder: 'fmod',
  pow: 'pow',
  atan2: 'atan2',
  hypot: 'hypot',
  copysign: 'copysign'
};

function ofFloats(emission: Emission, { operation, left, right }: Binary): Text {
  const [a, b] = [emission.write(left), emission.write(right)];
  const name = CALLS[operation];
  if (name !== undefined) return call(form(left.type, name), a, b);
  if (operation === 'min') return callPiece(emission, 'least', a, b);
  return operation === 'max' ? callPiece(emission, 'greatest', a, b) : plain(operation, a, b);
}

function ofIntegers(emission: Emission, node: Binary): Text {
  const { operation, left, right } = node;
  switch (operation) {
    case 'add':
    case 'subtract':
    case 'multiply':
      return wrapping(emission, node);
    case 'divide':
    case 'floorDivide':
    case 'remainder':
      return divided(emission, node);
    case 'shiftLeft':
    case 'shiftRight':
      return shifted(emission, node);
    case 'min':
    case 'max':
      return call(operation, typed(emission, left), typed(emission, right));
    case 'multiplyHigh': {
      const sign = isSigned(left.type) ? '' : 'u';
      const name = isLong(left.type) ? `__${sign}mul64hi` : `__${sign}mulhi`;
      return call(name, typed(emission, left), typed(emission, right));
    }
    case 'and':
    case 'or':
    case 'xor':
    case 'equal':
    case 'notEqual': {
      // Signed or not, the result is the same.
      const [a, b] = [emission.write(left), emission.write(right)];
      if (!a.unsigned && !b.unsigned) return plain(operation, a, b);
      const unsigned = node.type !== 'bool';
      return { ...plain(operation, loose(emission, left), loose(emission, right)), unsigned };
    }
    default:
      return plain(operation, typed(emission, left), typed(emission, right));
  }
}

/** Writes a sum, difference or product. One unsigned operand makes the whole unsigned, so that it wraps; signed overflow is undefined. */
function wrapping(emission: Emission, { operation, left, right }: Binary): Text {
  const { type } = left;
  if (!isSigned(type)) return plain(operation, emission.write(left), emission.write(right));
  const [a, b] = [loose(emission, left), loose(emission, right)];
  if (a.unsigned || b.unsigned) return asUnsigned(plain(operation, a, b));
  const second = withSuffix(right);
  if (second !== undefined) return asUnsigned(plain(operation, a, second));
  return asUnsigned(plain(operation, withSuffix(left) ?? cast(TYPES[unsignedType(type)], a), b));
}

/** Writes an operand beside an unsigned one; the compiler warns if that changes the sign of a constant. */
function loose(emission: Emission, node: Expression): Text {
  const text = emission.write(node);
  const negative = node.kind === 'constant' && Number(node.value) < 0;
  return negative ? asUnsigned(cast(TYPES[unsignedType(node.type)], text)) : text;
}

/** Writes a constant that is not negative as an unsigned one. */
function withSuffix(node: Expression): Text | undefined {
  return node.kind === 'constant' && Number(node.value) >= 0
    ? constant(unsignedType(node.type), node.value)
    : undefined;
}

function divided(emission: Emission, { operation, left, right }: Binary): Text {
  const [a, b] = [typed(emission, left), typed(emission, right)];
  const down = operation === 'floorDivide' && isSigned(left.type);
  // Only 0 and -1 need care.
  const safe = right.kind === 'constant' && Number(right.value) !== 0 && Number(right.value) !== -1;
  const rest = operation === 'remainder';
  if (safe && !down) return plain(rest ? 'remainder' : 'divide', a, b);
  if (rest) return callPiece(emission, 'remainderOf', a, b);
  emission.use('quotient');
  return down ? callPiece(emission, 'floorQuotient', a, b) : call('quotient', a, b);
}

/** Writes a shift, whose count is taken modulo the bits of the type. */
function shifted(emission: Emission, { operation, left, right }: Binary): Text {
  const { type } = left;
  const last = isLong(type) ? 63 : 31;
  const count =
    right.kind === 'constant'
      ? constant('i32', Number(BigInt(right.value) & BigInt(last)))
      : infix(emission.write(right), '&', constant('i32', last), LEVEL.and);
  if (operation === 'shiftRight') return plain(operation, typed(emission, left), count);
  const value = emission.write(left);
  if (!isSigned(type)) return plain(operation, value, count);
  const wide = value.unsigned ? value : (withSuffix(left) ?? cast(TYPES[unsignedType(type)], value));
  return asUnsigned(plain(operation, wide, count));
}

const COMPOUND: ReadonlySet<BinaryOperation> = new Set(['add', 'subtract', 'multiply', 'and', 'or', 'xor']);

/** Writes an assignment to a variable or element, whose new value is given also as text; `target += …` if it changes the old one. */
export function assignment(emission: Emission, target: string, value: Expression, { text }: Text): string {
  if (value.kind !== 'binary') return `${target} = ${text}`;
  const { operation, left, right, type } = value;
  const compound = COMPOUND.has(operation) || (operation === 'divide' && isFloat(type));
  if (!compound || emission.write(left).text !== target) return `${target} = ${text}`;
  const given = emission.write(right);
  const wraps = isSigned(type) && OPERATORS[operation]!.level >= LEVEL.sum && !given.unsigned;
  const changed = wraps ? (withSuffix(right) ?? cast(TYPES[unsignedType(type)], given)) : given;
  return `${target} ${OPERATORS[operation]!.sign}= ${changed.text}`;
}

/** Writes the step of a loop's counter, without a conversion that would let it wrap: NVRTC unrolls only loops that cannot. */
export function step(emission: Emission, target: string, value: Expression): string {
  if (value.kind === 'binary' && (value.operation === 'add' || value.operation === 'subtract'))
    if (emission.write(value.left).text === target)
      return `${target} ${OPERATORS[value.operation]!.sign}= ${typed(emission, value.right).text}`;
  return assignment(emission, target, value, emission.write(value));
}
