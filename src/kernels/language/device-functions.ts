/** The functions of `cuda` that work inside kernels only: what a thread is, memory, arithmetic that Math does not have. */

import { ArgumentError } from '../../base/errors.ts';
import type { Expression, Special } from '../program/program.ts';
import { ELEMENTS } from '../program/types.ts';
import { binary } from './arithmetic.ts';
import type { DeviceArray } from './device-types.ts';
import { argumentsOf, know, type Call, type Rule } from './known-functions.ts';
import { requireScalar } from './lowering.ts';
import { floatFunction, pairFunction, partFunction } from './math.ts';
import { constant, convert, meet, scalar, weakNumber } from './numbers.ts';
import type { Cast } from './number-types.ts';
import { requireConstant, requireFloat, requireInteger, requireType } from './requirements.ts';
import { special } from './specials.ts';
import { noteDeviceName } from './suggestions.ts';
import type { Scalar, Value } from './values.ts';

/** Makes a function that throws outside kernels, and says what it means inside. */
export function deviceFunction<Signature>(name: string, rule: Rule): Signature {
  const stub = (): never => {
    throw new ArgumentError(
      `cuda.${name} works only inside a kernel: pass the function that uses it to cuda.kernel`
    );
  };
  know(stub, rule);
  noteDeviceName(name);
  return stub as unknown as Signature;
}

const AXES = ['x', 'y', 'z'] as const;

/** Makes the rule of a function that gives an index or length for each of 1 to 3 axes. */
function perAxis(along: (axis: 'x' | 'y' | 'z', call: Call) => Expression): Rule {
  return call => {
    const { lowering, node } = call;
    const axes = requireConstant(lowering, argumentsOf(call, 1)[0], 'the number of axes', node);
    if (axes > 3) return lowering.fail('a grid has 1, 2 or 3 axes', node);
    const values = AXES.slice(0, axes).map(axis => scalar(lowering.keep(along(axis, call))));
    if (axes === 1) return values[0]!;
    return {
      kind: 'object',
      list: true,
      fields: new Map(values.map((value, index) => [String(index), value]))
    };
  };
}

const read = ({ lowering, node }: Call, name: Special): Expression => special(name, lowering.place(node));

const gridIndex = perAxis((axis, call) => {
  const place = call.lowering.place(call.node);
  const first = binary('multiply', read(call, `blockIdx.${axis}`), read(call, `blockDim.${axis}`), place);
  return binary('add', first, read(call, `threadIdx.${axis}`), place);
});

const gridLength = perAxis((axis, call) =>
  binary(
    'multiply',
    read(call, `gridDim.${axis}`),
    read(call, `blockDim.${axis}`),
    call.lowering.place(call.node)
  )
);

/** What GPUs have at most: for a block, and for a thread. */
const MOST_BYTES = { shared: 227 * 1024, local: 512 * 1024 } as const;

/** Makes the rule of an array in shared or local memory. */
function memory(space: 'shared' | 'local', dynamic: boolean): Rule {
  return call => {
    const { lowering, node, nodes } = call;
    const [type, ...lengths] = argumentsOf(call, dynamic ? 1 : 2, dynamic ? 1 : 5);
    const element = requireType(lowering, type, nodes[0]!);
    const shape = dynamic
      ? [0]
      : lengths.map((length, index) => requireConstant(lowering, length, 'a length', nodes[index + 1]!));
    const bytes = shape.reduce((size, length) => size * length, ELEMENTS[element].bytes);
    if (bytes > MOST_BYTES[space])
      lowering.fail(
        `this array has ${bytes} bytes of ${space} memory; there are at most ${MOST_BYTES[space]}`,
        node,
        'use smaller lengths, or pass an array to the launch'
      );
    const name = `${space}${lowering.memories.length}`;
    const index =
      lowering.memories.push({ space, name, element, shape, dynamic, place: lowering.place(node) }) - 1;
    const reference = { from: 'memory', index } as const;
    return {
      kind: 'array',
      reference,
      name: `this array in ${space} memory`,
      element,
      rank: shape.length,
      index: [],
      readOnly: false,
      wide: false
    };
  };
}

/** Makes the rule of a function of an integer's bits, whose result is i32 or, for `brev`, of its type. */
function bits(operation: 'popc' | 'clz' | 'ffs' | 'brev'): Rule {
  return call => {
    const { lowering, node } = call;
    const operand = requireInteger(lowering, argumentsOf(call, 1)[0]!, node);
    const type = operation === 'brev' ? operand.type : 'i32';
    return scalar({ kind: 'unary', operation, operand, type, place: lowering.place(node) });
  };
}

/** Reinterprets bits: floats as integers, integers as floats. */
function reinterpret(call: Call): Value {
  const { lowering, node } = call;
  const given = requireScalar(lowering, argumentsOf(call, 1)[0]!, node);
  const operand = convert(given, given.expression.type);
  const type = ({ f32: 'i32', f64: 'i64', i32: 'f32', u32: 'f32', i64: 'f64', u64: 'f64' } as const)[
    operand.type as 'f32'
  ];
  if (type === undefined) return lowering.fail(`expected a real number, found ${operand.type}`, node);
  return scalar({ kind: 'unary', operation: 'bits', operand, type, place: lowering.place(node) });
}

function fma(call: Call): Value {
  const { lowering, node } = call;
  const values = argumentsOf(call, 3).map(value => requireFloat(lowering, value, node)) as [
    Scalar,
    Scalar,
    Scalar
  ];
  const type = values.reduce<Scalar>((left, right) => {
    const meeting = meet(left, right);
    return typeof meeting === 'string'
      ? lowering.fail(meeting, node)
      : { ...left, expression: constant(meeting.type, 0, left.expression.place), weak: meeting.weak };
  }, values[0]).expression.type;
  const [a, b, c] = values.map(value => convert(value, type)) as [Expression, Expression, Expression];
  return scalar({ kind: 'fma', operands: [a, b, c], type, place: lowering.place(node) });
}

export type OfType = <T>(type: Cast<T>, length: number) => DeviceArray<T>;
export interface Memories extends OfType {
  <T>(type: Cast<T>, rows: number, columns: number): DeviceArray<T, 2>;
  <T>(type: Cast<T>, planes: number, rows: number, columns: number): DeviceArray<T, 3>;
}

export interface PerAxis {
  (axes: 1): number;
  (axes: 2): readonly [x: number, y: number];
  (axes: 3): readonly [x: number, y: number, z: number];
}

type OfFloat = (x: number) => number;
type OfBits = (x: number | bigint) => number;

export const deviceFunctions = {
  /**
   * Returns the thread's index in the whole grid: a number for 1 axis, the list x, y for 2, and x, y, z for 3.
   * @example const i = cuda.grid(1);
   */
  grid: deviceFunction<PerAxis>('grid', gridIndex),
  /**
   * Returns the number of threads in the whole grid along each axis: the step of a loop over more elements than threads.
   * @example for (let i = cuda.grid(1); i < x.length; i += cuda.gridSize(1)) x[i] = 0;
   */
  gridSize: deviceFunction<PerAxis>('gridSize', gridLength),
  /**
   * Makes an array that the threads of a block share, of a type and one to four constant lengths in elements. It is not cleared.
   * @example const tile = cuda.shared(f32, 32, 33);
   */
  shared: deviceFunction<Memories>('shared', memory('shared', false)),
  /**
   * Returns the shared memory that the launch gives by `sharedBytes`, as an array with one axis. Several calls return the same memory. It is
   * not cleared.
   * @example const tile = cuda.dynamicShared(f32);
   */
  dynamicShared: deviceFunction<<T>(type: Cast<T>) => DeviceArray<T>>(
    'dynamicShared',
    memory('shared', true)
  ),
  /**
   * Makes an array of the thread's own, of a type and one to four constant lengths in elements. It is not cleared.
   * @example const row = cuda.local(f32, 8);
   */
  local: deviceFunction<Memories>('local', memory('local', false)),
  /** Returns a * b + c of floats, rounded once. */
  fma: deviceFunction<(a: number, b: number, c: number) => number>('fma', fma),
  /** Returns 1 / sqrt(x). */
  rsqrt: deviceFunction<OfFloat>('rsqrt', floatFunction('rsqrt')),
  /** Returns 2 to the power of x. */
  exp2: deviceFunction<OfFloat>('exp2', floatFunction('exp2')),
  /** Returns the error function of x. */
  erf: deviceFunction<OfFloat>('erf', floatFunction('erf')),
  /** Returns 1 - erf(x). */
  erfc: deviceFunction<OfFloat>('erfc', floatFunction('erfc')),
  /** Returns the gamma function of x. */
  gamma: deviceFunction<OfFloat>('gamma', floatFunction('tgamma')),
  /** Returns the natural logarithm of the absolute value of the gamma function of x. */
  lgamma: deviceFunction<OfFloat>('lgamma', floatFunction('lgamma')),
  /** Returns the real part of x: in cuda.map x may be complex. */
  real: deviceFunction<OfFloat>(
    'real',
    partFunction('real', value => value)
  ),
  /** Returns the imaginary part of x, 0 for a real number: in cuda.map x may be complex. */
  imag: deviceFunction<OfFloat>(
    'imag',
    partFunction('imag', (_, place) => weakNumber(0, place))
  ),
  /** Returns the complex conjugate of x: in cuda.map x may be complex. */
  conj: deviceFunction<OfFloat>(
    'conj',
    partFunction('conj', value => value)
  ),
  /** Returns the whole number nearest to x; of two that are equally near, the even one. */
  rint: deviceFunction<OfFloat>('rint', floatFunction('rint')),
  /** Returns the absolute value of x with the sign of y. */
  copysign: deviceFunction<(x: number, y: number) => number>('copysign', pairFunction('copysign', true)),
  /** Returns the upper 32 or 64 bits of the product of two integers of 32 or 64 bits. */
  multiplyHigh: deviceFunction<<T extends number | bigint>(a: T, b: T) => T>(
    'multiplyHigh',
    pairFunction('multiplyHigh', false)
  ),
  /** Returns the number of bits of an integer that are 1. */
  popc: deviceFunction<OfBits>('popc', bits('popc')),
  /** Returns the number of bits of an integer above its highest 1; 32 or 64 for 0. */
  clz: deviceFunction<OfBits>('clz', bits('clz')),
  /** Returns the position of the lowest bit of an integer that is 1, counted from 1; 0 if there is none. */
  ffs: deviceFunction<OfBits>('ffs', bits('ffs')),
  /** Returns an integer with the bits of x in reverse order. */
  brev: deviceFunction<<T extends number | bigint>(x: T) => T>('brev', bits('brev')),
  /** Reinterprets the bits of a value: f32 as i32, i32 and u32 as f32, f64 as i64, i64 and u64 as f64. */
  bits: deviceFunction<(x: number | bigint) => number>('bits', reinterpret)
} as const;
