/** The numbers of the simulated machine's code: each name is the index in its list. The build writes them to a C++ header (scripts/setup/native-tables.mjs). Pure. */

import type {
  AtomicName,
  BarrierName,
  BinaryOperation,
  Special,
  UnaryOperation,
  WarpName
} from '../program/program.ts';

/** Kinds of instructions; encode.ts says which words each has. */
export const INSTRUCTION_KINDS = [
  'unary',
  'binary',
  'fma',
  'convert',
  'narrow',
  'select',
  'move',
  'load',
  'store',
  'loadVector',
  'storeVector',
  'atomic',
  'warp',
  'barrier',
  'print',
  'assert',
  'nonzero',
  'fail',
  'if',
  'else',
  'merge',
  'begin',
  'leave',
  'test',
  'back',
  'skip'
] as const;
export type InstructionKind = (typeof INSTRUCTION_KINDS)[number];

export const UNARY_OPERATIONS: readonly UnaryOperation[] = [
  'negate',
  'not',
  'invert',
  'abs',
  'sign',
  'floor',
  'ceil',
  'trunc',
  'rint',
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
  'erfc',
  'tgamma',
  'lgamma',
  'isnan',
  'isinf',
  'isfinite',
  'popc',
  'clz',
  'ffs',
  'brev',
  'bits'
];

export const BINARY_OPERATIONS: readonly BinaryOperation[] = [
  'add',
  'subtract',
  'multiply',
  'divide',
  'floorDivide',
  'remainder',
  'and',
  'or',
  'xor',
  'shiftLeft',
  'shiftRight',
  'min',
  'max',
  'pow',
  'atan2',
  'hypot',
  'copysign',
  'multiplyHigh',
  'equal',
  'notEqual',
  'less',
  'lessEqual',
  'greater',
  'greaterEqual'
];

export const ATOMIC_NAMES: readonly AtomicName[] = [
  'atomicAdd',
  'atomicSub',
  'atomicMin',
  'atomicMax',
  'atomicExch',
  'atomicCas',
  'atomicAnd',
  'atomicOr',
  'atomicXor',
  'atomicInc',
  'atomicDec'
];

export const WARP_NAMES: readonly WarpName[] = [
  'shfl',
  'shflUp',
  'shflDown',
  'shflXor',
  'ballot',
  'any',
  'all',
  'matchAny',
  'matchAll',
  'activeMask',
  'syncWarp'
];

export const BARRIER_NAMES: readonly BarrierName[] = [
  'syncThreads',
  'syncThreadsCount',
  'syncThreadsAnd',
  'syncThreadsOr',
  'gridSync'
];

export const SPECIALS: readonly Special[] = [
  'threadIdx.x',
  'threadIdx.y',
  'threadIdx.z',
  'blockIdx.x',
  'blockIdx.y',
  'blockIdx.z',
  'blockDim.x',
  'blockDim.y',
  'blockDim.z',
  'gridDim.x',
  'gridDim.y',
  'gridDim.z',
  'laneId'
];

/** What a register holds from the start: a constant (its index), a scalar parameter, a special, or the extent of an array's axis. */
export const FILL_KINDS = ['constant', 'parameter', 'special', 'extent'] as const;
export type FillKind = (typeof FILL_KINDS)[number];
