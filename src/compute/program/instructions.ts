/**
 * The instructions of elementwise programs. Host code of the simulated device (native/compute) and generated CUDA C++ (src/compute/cuda) run
 * the same programs. A new instruction is a row of this table, a loop in native/compute, and a function in src/ops/functions.ts. Pure.
 */

import { decode, encode, isSmallFloat, registerTypeName, round, storedType } from './cuda-types.ts';
import type { ElementTypeName } from './element-types.ts';
import { isComplex, isFloat } from './promotion.ts';

/** The registers of an instruction, of which it uses as many as it has operands. */
type Registers = readonly [a: string, b: string, c: string];
type Emit = (operands: Registers, operand: ElementTypeName, result: ElementTypeName) => string;

export interface InstructionRow {
  readonly operands: 1 | 2 | 3;
  /** The result type: that of the operands, bool, that of a complex number's parts, or the complex type of such parts. */
  readonly result: 'same' | 'bool' | 'part' | 'whole';
  /** Writes the value in CUDA C++, over registers. `operand` is the type of the operands; of `where`, that of its choices. */
  readonly emit: Emit;
}

const of =
  (operands: 1 | 2 | 3) =>
  (emit: Emit, result: InstructionRow['result'] = 'same'): InstructionRow => ({ operands, result, emit });
const one = of(1);
const two = of(2);
const three = of(3);

const infix =
  (operator: string): Emit =>
  ([a, b]) =>
    `${a} ${operator} ${b}`;
const call =
  (name: string): Emit =>
  operands =>
    `${name}(${operands.join(', ')})`;

/** Emits a call of a function with float and double overloads; `complex` names the form for complex numbers. */
const math =
  (name: string, complex?: string): Emit =>
  (operands, type) =>
    `${isComplex(type) && complex !== undefined ? complex : name}(${operands.join(', ')})`;

/** Emits integer arithmetic in 64 bits, truncated, so that integers wrap. */
const wrapping =
  (operator: string): Emit =>
  ([a, b], type) => {
    if (isFloat(type) || isComplex(type)) return `${a} ${operator} ${b}`;
    if (type === 'bool') return operator === '+' ? `${a} || ${b}` : `${a} && ${b}`;
    return `(u64)${a} ${operator} (u64)${b}`;
  };

const truth = (operand: string, type: ElementTypeName): string =>
  type === 'bool' ? operand : `(${operand} != ${registerTypeName(type)}(0))`;

const logical =
  (operator: string): Emit =>
  (operands, type) =>
    operands.map(operand => truth(operand, type)).join(` ${operator} `);

/** Emits a test of a real number; for a complex number, `join` combines the tests of its parts. */
const test =
  (name: string, join: '||' | '&&', otherwise: string): Emit =>
  ([a], type) => {
    if (isComplex(type)) return `${name}((${a}).re) ${join} ${name}((${a}).im)`;
    return isFloat(type) ? `${name}(${a})` : otherwise;
  };

/** Doubles and wide integers convert to small floats with a single rounding, in the storage form. */
const convert: Emit = ([a], operand, result) =>
  isSmallFloat(result) && ['float64', 'int32', 'uint32', 'int64', 'uint64'].includes(operand)
    ? `(double)${a}`
    : `convert<${registerTypeName(result)}>(${a})`;

/** Codes of small floats are ordered by magnitude, so the neighbour of a value is the next code. */
const nextAfter: Emit = ([a, b], type) => {
  if (!isSmallFloat(type)) return `nextafter(${a}, ${b})`;
  const step = `(${a} == 0 || (${a} < ${b}) == (${a} > 0) ? 1 : -1)`;
  const next = decode(type, `(${storedType(type)})(${encode(type, `fabsf(${a})`)} + ${step})`);
  // For two zeros, NumPy returns the first for float16 and the second for all other types.
  const equal = type === 'float16' ? a : b;
  return `isnan(${a}) || isnan(${b}) ? ${a} + ${b} : ${a} == ${b} ? ${equal} : copysignf(${next}, ${a} == 0 ? ${b} : ${a})`;
};

/** Instructions by opcode, which is the index; the build writes them to a C++ header (scripts/setup/native-tables.mjs). */
export const INSTRUCTIONS = {
  cast: one(convert),
  negative: one(([a], type) => (isFloat(type) || isComplex(type) ? `-${a}` : `0 - (u64)${a}`)),
  abs: one(math('absolute', 'size'), 'part'),
  sign: one(call('signOf')),
  square: one(([a, , c], ...types) => wrapping('*')([a, a, c], ...types)),
  reciprocal: one(([a], type) => `${registerTypeName(type)}(1) / ${a}`),
  sqrt: one(math('sqrt', 'cSqrt')),
  rsqrt: one(([a], type) => `${registerTypeName(type)}(1) / sqrt(${a})`),
  cbrt: one(math('cbrt')),
  exp: one(math('exp', 'cExp')),
  exp2: one(math('exp2')),
  expm1: one(math('expm1')),
  log: one(math('log', 'cLog')),
  log2: one(math('log2')),
  log10: one(math('log10', 'cLog10')),
  log1p: one(math('log1p')),
  sin: one(math('sin', 'cSin')),
  cos: one(math('cos', 'cCos')),
  tan: one(math('tan', 'cTan')),
  asin: one(math('asin', 'cAsin')),
  acos: one(math('acos', 'cAcos')),
  atan: one(math('atan', 'cAtan')),
  sinh: one(math('sinh', 'cSinh')),
  cosh: one(math('cosh', 'cCosh')),
  tanh: one(math('tanh', 'cTanh')),
  asinh: one(math('asinh', 'cAsinh')),
  acosh: one(math('acosh', 'cAcosh')),
  atanh: one(math('atanh', 'cAtanh')),
  erf: one(math('erf')),
  floor: one(math('floor')),
  ceil: one(math('ceil')),
  trunc: one(math('trunc')),
  round: one(math('rint')),
  real: one(([a], type) => (isComplex(type) ? `(${a}).re` : a), 'part'),
  imag: one(([a], type) => (isComplex(type) ? `(${a}).im` : `${registerTypeName(type)}(0)`), 'part'),
  conj: one(([a], type) => (isComplex(type) ? `${registerTypeName(type)}((${a}).re, -(${a}).im)` : a)),
  isnan: one(test('isnan', '||', 'false'), 'bool'),
  isinf: one(test('isinf', '||', 'false'), 'bool'),
  isfinite: one(test('isfinite', '&&', 'true'), 'bool'),
  signbit: one(
    ([a], type) => (isFloat(type) ? `signbit(${a})` : `${a} < ${registerTypeName(type)}(0)`),
    'bool'
  ),
  logical_not: one(([a], type) => `!${truth(a, type)}`, 'bool'),
  bitwise_invert: one(([a], type) => (type === 'bool' ? `!${a}` : `~${a}`)),
  add: two(wrapping('+')),
  subtract: two(wrapping('-')),
  multiply: two(wrapping('*')),
  divide: two(infix('/')),
  floor_divide: two(call('floorDivide')),
  remainder: two(call('remainderOf')),
  pow: two(math('power', 'cPow')),
  atan2: two(call('atan2')),
  hypot: two(call('hypot')),
  copysign: two(call('copysign')),
  complex: two((operands, _, result) => `${registerTypeName(result)}(${operands.join(', ')})`, 'whole'),
  logaddexp: two(call('logAddExp')),
  nextafter: two(nextAfter),
  minimum: two(call('least')),
  maximum: two(call('largest')),
  bitwise_and: two(infix('&')),
  bitwise_or: two(infix('|')),
  bitwise_xor: two(infix('^')),
  bitwise_left_shift: two(call('shiftLeft')),
  bitwise_right_shift: two(call('shiftRight')),
  logical_and: two(logical('&&'), 'bool'),
  logical_or: two(logical('||'), 'bool'),
  logical_xor: two(logical('!='), 'bool'),
  equal: two(infix('=='), 'bool'),
  not_equal: two(infix('!='), 'bool'),
  less: two(infix('<'), 'bool'),
  less_equal: two(infix('<='), 'bool'),
  greater: two(infix('>'), 'bool'),
  greater_equal: two(infix('>='), 'bool'),
  where: three(([a, b, c]) => `${a} ? ${b} : ${c}`)
} satisfies Readonly<Record<string, InstructionRow>>;

export type Opcode = keyof typeof INSTRUCTIONS;

export const OPCODES = Object.keys(INSTRUCTIONS) as readonly Opcode[];

/** Writes an instruction's value in a register of its type. `operand` is the operands' type; of `where`, that of its choices. */
export function emitInstruction(
  opcode: Opcode,
  type: ElementTypeName,
  operand: ElementTypeName,
  operands: readonly string[]
): string {
  const value = INSTRUCTIONS[opcode].emit(operands as unknown as Registers, operand, type);
  return round(type, opcode === 'cast' ? value : `(${registerTypeName(type)})(${value})`);
}
