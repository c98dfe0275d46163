/** Writes what every kernel of an elementwise program has in common: its operands, and the function that computes an element. Pure. */

import { decode, encode, isSmallFloat, registerTypeName, storedType } from '../program/cuda-types.ts';
import { emitInstruction } from '../program/instructions.ts';
import { registerType, type Program } from '../program/program.ts';
import type { ElementwiseVariant, Reach } from './elementwise-variant.ts';

/** A parameter of the kernel that is an address. */
export interface Operand {
  readonly type: ReturnType<typeof registerType>;
  readonly name: string;
  readonly reach: Reach;
  readonly output: boolean;
  /** Position among the operands, outputs first. */
  readonly index: number;
}

export function operandsOf(program: Program, { reaches }: ElementwiseVariant): Operand[] {
  const outputs = program.outputs.map((register, index) => ({
    type: registerType(program, register),
    name: `out${index}`,
    output: true
  }));
  const inputs = program.inputs.map((type, index) => ({ type, name: `in${index}`, output: false }));
  return [...outputs, ...inputs].map((operand, index) => ({ ...operand, index, reach: reaches[index]! }));
}

/** Writes the instructions over registers `r0, r1, ...`; those of inputs and values are defined already. */
function emitBody(program: Program): string {
  const first = program.inputs.length + program.values.length;
  const lines = program.instructions.map(({ opcode, type, operands }, index) => {
    const operand = registerType(program, operands[opcode === 'where' ? 1 : 0]!);
    const value = emitInstruction(
      opcode,
      type,
      operand,
      operands.map(register => `r${register}`)
    );
    return `const ${registerTypeName(type)} r${first + index} = ${value};`;
  });
  return lines.join('\n    ');
}

/** Writes a function that computes one element of each output from one element of each input. */
export function emitFunction(program: Program): string {
  const { inputs, values, outputs } = program;
  const parameters = [
    ...inputs.map((type, index) => `${storedType(type)} s${index}`),
    ...values.map((type, index) => `${storedType(type)} v${index}`),
    ...outputs.map((register, index) => `${storedType(registerType(program, register))}& o${index}`)
  ];
  const loads = [...inputs, ...values].map((type, register) => {
    const stored = register < inputs.length ? `s${register}` : `v${register - inputs.length}`;
    return `const ${registerTypeName(type)} r${register} = ${decode(type, stored)};`;
  });
  const stores = outputs.map((register, index) => {
    const type = registerType(program, register);
    return `o${index} = ${isSmallFloat(type) ? encode(type, `r${register}`) : `r${register}`};`;
  });
  return `__device__ __forceinline__ void element(${parameters.join(', ')}) {
    ${loads.join('\n    ')}
    ${emitBody(program)}
    ${stores.join('\n    ')}
}`;
}

/** Writes the call of that function, with the code for an element of each operand. */
export function callElement(
  program: Program,
  operands: readonly Operand[],
  element: (operand: Operand) => string
): string {
  const inputs = operands.filter(({ output }) => !output).map(element);
  const values = program.values.map((_, index) => `value${index}`);
  const outputs = operands.filter(({ output }) => output).map(element);
  return `element(${[...inputs, ...values, ...outputs].join(', ')});`;
}

/** Writes the code that splits index `left` along the first `axes` axes, and adds the bytes to the offset of each operand. */
export function emitSteps(
  operands: readonly Operand[],
  axes: number,
  offset: (name: string) => string
): string[] {
  return Array.from({ length: axes }, (_, axis) => {
    const place = axis === 0 ? 'left' : `left % dims.shape[${axis}]`;
    const advance = operands.map(
      ({ name, index }) => `${offset(name)} += place * dims.strides[${index}][${axis}];`
    );
    const rest = axis === 0 ? '' : `left /= dims.shape[${axis}];`;
    return `{ const Unsigned place = ${place}; ${advance.join(' ')} ${rest} }`;
  }).reverse();
}
