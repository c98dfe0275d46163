/** Functions of the simulated machine on single values, so that a debugged kernel has its results: `exp` and others are not exact. */

import type { NativeKernelCheck, NativeKernelProgram } from '../../native/kernels-binding.ts';
import { native } from '../../native/load.ts';
import { encodeProgram } from '../machine/encode.ts';
import { argumentSlots } from '../program/parameters.ts';
import type { BinaryOperation, Expression, Place, Program, UnaryOperation } from '../program/program.ts';
import { isWide, type ValueType } from '../program/types.ts';
import type { Held } from './operations.ts';

/** `type` is that of the arguments. */
type MachineFunction = { readonly type: ValueType; readonly result: ValueType } & (
  | { readonly kind: 'unary'; readonly operation: UnaryOperation }
  | { readonly kind: 'binary'; readonly operation: BinaryOperation }
  | { readonly kind: 'fma'; readonly operation: 'fma' }
  | { readonly kind: 'convert'; readonly operation: 'convert' }
);

const place: Place = { line: 1, column: 0, length: 1, file: 0 };
const ONE_THREAD = Int32Array.of(1, 1, 1, 1, 1, 1, 0);
const NO_RECORD = { recordBlocks: 0, recordWords: 0 };
const programs = new Map<string, NativeKernelProgram>();

const parametersOf = (type: ValueType, count: number) =>
  Array.from({ length: count }, (_, at) => ({ kind: 'scalar', name: `a${at}`, type }) as const);

/** Makes a program of one thread that prints the value: the shortest text that gives the number back. */
function programOf({ kind, operation, type, result }: MachineFunction, count: number): NativeKernelProgram {
  const parameters = parametersOf(type, count);
  const operands = parameters.map((_, index): Expression => ({ kind: 'parameter', index, type, place }));
  const [operand, right] = operands;
  const value = {
    kind,
    operation,
    operand,
    left: operand,
    right,
    operands,
    type: result,
    place
  } as Expression;
  const program: Program = {
    name: operation,
    parameters,
    variables: [],
    memories: [],
    tables: [],
    body: [{ kind: 'print', parts: [value], place }],
    files: [{ name: operation }],
    cooperative: false
  };
  const { words, constants } = encodeProgram(program);
  return native().kernels.makeProgram(words, constants);
}

function argumentBytes(type: ValueType, values: readonly Held[]): Uint8Array {
  const [{ bytes: size } = { bytes: 0 }] = argumentSlots(parametersOf(type, 1));
  const view = new DataView(new ArrayBuffer(values.length * size));
  values.forEach((value, index) => {
    if (type === 'f32') view.setFloat32(index * size, value as number, true);
    else if (type === 'f64') view.setFloat64(index * size, value as number, true);
    else if (typeof value === 'bigint') view.setBigInt64(index * size, value, true);
    else if (size === 1) view.setUint8(index, Number(value));
    else view.setInt32(index * size, Number(value), true);
  });
  return new Uint8Array(view.buffer);
}

/** Computes one value. */
export function ofMachine(what: MachineFunction, values: readonly Held[]): Held {
  const { kind, operation, type, result } = what;
  const key = `${kind} ${operation} ${type} ${result}`;
  const program = programs.get(key) ?? programOf(what, values.length);
  programs.set(key, program);
  const told = native().kernels.check(program, ONE_THREAD, argumentBytes(type, values), [], NO_RECORD);
  const text = (JSON.parse(told) as NativeKernelCheck).output.trim();
  if (isWide(result)) return BigInt(text);
  if (result === 'bool') return text === 'true';
  return result === 'f32' ? Math.fround(Number(text)) : Number(text);
}
