/** Each instruction of a program as an expression of CUDA C++ over registers. Pure. */

import type { ElementTypeName, Opcode } from '../program/opcodes.ts';
import { isComplex, isFloat } from '../program/promotion.ts';
import { isSmallFloat, registerTypeName, round } from './types.ts';

type Emit = (operands: readonly string[], operand: ElementTypeName) => string;

const infix =
  (operator: string): Emit =>
  ([a, b]) =>
    `${a as string} ${operator} ${b as string}`;
const call =
  (name: string): Emit =>
  operands =>
    `${name}(${operands.join(', ')})`;

/** A function with forms for float and double, whose name is one, and for complex numbers perhaps another. */
const math =
  (name: string, complex?: string): Emit =>
  (operands, type) =>
    `${isComplex(type) && complex !== undefined ? complex : name}(${operands.join(', ')})`;

/** Integers wrap: the sum is that of 64 bits, cut. */
const wrapping =
  (operator: string): Emit =>
  ([a, b], type) => {
    if (isFloat(type) || isComplex(type)) return `${a as string} ${operator} ${b as string}`;
    if (type === 'bool')
      return operator === '+' ? `${a as string} || ${b as string}` : `${a as string} && ${b as string}`;
    return `(u64)${a as string} ${operator} (u64)${b as string}`;
  };

const truth = (operand: string, type: ElementTypeName): string =>
  type === 'bool' ? operand : `(${operand} != ${registerTypeName(type)}(0))`;

const logical =
  (operator: string): Emit =>
  (operands, type) =>
    operands.map(operand => truth(operand, type)).join(` ${operator} `);

/** A test of a real number, which holds for a complex one where it holds for the parts that `join` wants. */
const test =
  (name: string, join: '||' | '&&', otherwise: string): Emit =>
  ([a], type) => {
    if (isComplex(type)) return `${name}((${a as string}).re) ${join} ${name}((${a as string}).im)`;
    return isFloat(type) ? `${name}(${a as string})` : otherwise;
  };

const EMIT: Readonly<Record<Exclude<Opcode, 'cast'>, Emit>> = {
  negative: ([a], type) => (isFloat(type) || isComplex(type) ? `-${a as string}` : `0 - (u64)${a as string}`),
  abs: (operands, type) => (isComplex(type) ? call('size') : call('absolute'))(operands, type),
  sign: call('signOf'),
  square: ([a], type) => wrapping('*')([a as string, a as string], type),
  reciprocal: ([a], type) => `${registerTypeName(type)}(1) / ${a as string}`,
  sqrt: math('sqrt', 'cSqrt'),
  rsqrt: ([a], type) => `${registerTypeName(type)}(1) / sqrt(${a as string})`,
  cbrt: math('cbrt'),
  exp: math('exp', 'cExp'),
  exp2: math('exp2'),
  expm1: math('expm1'),
  log: math('log', 'cLog'),
  log2: math('log2'),
  log10: math('log10', 'cLog10'),
  log1p: math('log1p'),
  sin: math('sin', 'cSin'),
  cos: math('cos', 'cCos'),
  tan: math('tan', 'cTan'),
  asin: math('asin', 'cAsin'),
  acos: math('acos', 'cAcos'),
  atan: math('atan', 'cAtan'),
  sinh: math('sinh', 'cSinh'),
  cosh: math('cosh', 'cCosh'),
  tanh: math('tanh', 'cTanh'),
  asinh: math('asinh', 'cAsinh'),
  acosh: math('acosh', 'cAcosh'),
  atanh: math('atanh', 'cAtanh'),
  erf: math('erf'),
  floor: math('floor'),
  ceil: math('ceil'),
  trunc: math('trunc'),
  round: math('rint'),
  real: ([a], type) => (isComplex(type) ? `(${a as string}).re` : (a as string)),
  imag: ([a], type) => (isComplex(type) ? `(${a as string}).im` : `${registerTypeName(type)}(0)`),
  conj: ([a], type) =>
    isComplex(type) ? `${registerTypeName(type)}((${a as string}).re, -(${a as string}).im)` : (a as string),
  isnan: test('isnan', '||', 'false'),
  isinf: test('isinf', '||', 'false'),
  isfinite: test('isfinite', '&&', 'true'),
  signbit: ([a], type) =>
    isFloat(type) ? `signbit(${a as string})` : `${a as string} < ${registerTypeName(type)}(0)`,
  logical_not: ([a], type) => `!${truth(a as string, type)}`,
  bitwise_invert: ([a], type) => (type === 'bool' ? `!${a as string}` : `~${a as string}`),
  add: wrapping('+'),
  subtract: wrapping('-'),
  multiply: wrapping('*'),
  divide: infix('/'),
  floor_divide: call('floorDivide'),
  remainder: call('remainderOf'),
  pow: math('power', 'cPow'),
  atan2: call('atan2'),
  hypot: call('hypot'),
  copysign: call('copysign'),
  logaddexp: call('logAddExp'),
  minimum: call('least'),
  maximum: call('largest'),
  bitwise_and: infix('&'),
  bitwise_or: infix('|'),
  bitwise_xor: infix('^'),
  bitwise_left_shift: call('shiftLeft'),
  bitwise_right_shift: call('shiftRight'),
  logical_and: logical('&&'),
  logical_or: logical('||'),
  logical_xor: logical('!='),
  equal: infix('=='),
  not_equal: infix('!='),
  less: infix('<'),
  less_equal: infix('<='),
  greater: infix('>'),
  greater_equal: infix('>='),
  where: ([a, b, c]) => `${a as string} ? ${b as string} : ${c as string}`
};

/** The value of an instruction in a register of its type. `operand` is the type of its operands, of `where` that of its choices. */
export function emitInstruction(
  opcode: Opcode,
  type: ElementTypeName,
  operand: ElementTypeName,
  operands: readonly string[]
): string {
  const register = registerTypeName(type);
  if (opcode === 'cast') {
    // Doubles and wide integers go to small floats in one rounding, which the storage form does.
    const wide = isSmallFloat(type) && ['float64', 'int32', 'uint32', 'int64', 'uint64'].includes(operand);
    const source = operands[0] as string;
    return wide ? round(type, `(double)${source}`) : round(type, `convert<${register}>(${source})`);
  }
  return round(type, `(${register})(${EMIT[opcode](operands, operand)})`);
}
