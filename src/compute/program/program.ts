/** Elementwise programs for both backends: instructions over numbered registers, with values given at each run. Pure. */

import { dtypes } from '../../dtype/dtype.ts';
import { writeScalar } from '../../dtype/elements.ts';
import { hostArrayOver, type Scalar } from '../../dtype/host-array.ts';
import { ELEMENT_TYPES, type ElementTypeName } from './element-types.ts';
import { OPCODES, type Opcode } from './instructions.ts';

export interface Instruction {
  readonly opcode: Opcode;
  readonly type: ElementTypeName;
  /** Registers: inputs come first, then values, then the results of instructions. */
  readonly operands: readonly number[];
}

export interface Program {
  /** The cache key; equal for equivalent programs. */
  readonly key: string;
  readonly inputs: readonly ElementTypeName[];
  readonly values: readonly ElementTypeName[];
  readonly instructions: readonly Instruction[];
  /** Registers that become outputs. */
  readonly outputs: readonly number[];
}

export function registerType(program: Program, register: number): ElementTypeName {
  const { inputs, values, instructions } = program;
  if (register < inputs.length) return inputs[register]!;
  if (register < inputs.length + values.length) return values[register - inputs.length]!;
  return instructions[register - inputs.length - values.length]!.type;
}

export function makeProgram(parts: Omit<Program, 'key'>): Program {
  const { inputs, values, instructions, outputs } = parts;
  const text = instructions.map(({ opcode, type, operands }) => `${opcode}:${type}(${operands.join()})`);
  return { ...parts, key: `${inputs.join()}|${values.join()}|${text.join(';')}|${outputs.join()}` };
}

/** Encodes a program for `NativeCompute.makeProgram`. */
export function programWords(program: Program): Int32Array {
  const type = (name: ElementTypeName): number => ELEMENT_TYPES.indexOf(name);
  const { inputs, values, instructions, outputs } = program;
  return Int32Array.from([
    inputs.length,
    outputs.length,
    values.length,
    instructions.length,
    ...inputs.map(type),
    ...values.map(type),
    ...instructions.flatMap(({ opcode, type: result, operands: [a = -1, b = -1, c = -1] }) => [
      OPCODES.indexOf(opcode),
      type(result),
      a,
      b,
      c
    ]),
    ...outputs.flatMap(register => [register, type(registerType(program, register))])
  ]);
}

/** Bytes of each value in native code. */
const VALUE_BYTES = 16;

/** Encodes the values of a run, 16 bytes each, in their storage form. @throws ValueError for a value that its type cannot hold */
export function valueBytes(types: readonly ElementTypeName[], values: readonly Scalar[]): Uint8Array {
  const bytes = new Uint8Array(types.length * VALUE_BYTES);
  for (const [index, name] of types.entries()) {
    const buffer = new ArrayBuffer(dtypes[name].itemsize);
    writeScalar(hostArrayOver(dtypes[name], buffer), dtypes[name], 0, values[index]!);
    bytes.set(new Uint8Array(buffer), index * VALUE_BYTES);
  }
  return bytes;
}
