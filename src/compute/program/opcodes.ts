/**
 * What elementwise programs are made of. A program is a list of instructions over registers; both backends, the host code of the
 * simulated device (native/compute) and generated CUDA C++ (src/compute/cuda), do the same with it. Pure.
 */

import type { DTypeName } from '../../dtype/dtype.ts';

/** Element types of arithmetic; the numbers are those of native/compute/types.h. Types below 32 bits of float compute in float32 and round after each instruction. */
export const ELEMENT_TYPES = [
  'bool',
  'int8',
  'int16',
  'int32',
  'int64',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
  'float16',
  'bfloat16',
  'float32',
  'float64',
  'complex64',
  'complex128',
  'float8_e3m4',
  'float8_e4m3',
  'float8_e4m3b11fnuz',
  'float8_e4m3fn',
  'float8_e4m3fnuz',
  'float8_e5m2',
  'float8_e5m2fnuz',
  'float8_e8m0fnu'
] as const satisfies readonly DTypeName[];

export type ElementTypeName = (typeof ELEMENT_TYPES)[number];

/** In the order of native/compute/opcodes.h. */
export const OPCODES = [
  // one operand
  'cast',
  'negative',
  'abs',
  'sign',
  'square',
  'reciprocal',
  'sqrt',
  'rsqrt',
  'cbrt',
  'exp',
  'exp2',
  'expm1',
  'log',
  'log2',
  'log10',
  'log1p',
  'sin',
  'cos',
  'tan',
  'asin',
  'acos',
  'atan',
  'sinh',
  'cosh',
  'tanh',
  'asinh',
  'acosh',
  'atanh',
  'erf',
  'floor',
  'ceil',
  'trunc',
  'round',
  'real',
  'imag',
  'conj',
  'isnan',
  'isinf',
  'isfinite',
  'signbit',
  'logical_not',
  'bitwise_invert',
  // two operands
  'add',
  'subtract',
  'multiply',
  'divide',
  'floor_divide',
  'remainder',
  'pow',
  'atan2',
  'hypot',
  'copysign',
  'logaddexp',
  'minimum',
  'maximum',
  'bitwise_and',
  'bitwise_or',
  'bitwise_xor',
  'bitwise_left_shift',
  'bitwise_right_shift',
  'logical_and',
  'logical_or',
  'logical_xor',
  'equal',
  'not_equal',
  'less',
  'less_equal',
  'greater',
  'greater_equal',
  // three operands
  'where'
] as const;

export type Opcode = (typeof OPCODES)[number];
