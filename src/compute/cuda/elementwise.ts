/** Generates CUDA C++ for elementwise programs. Pure. */

import { dtypes } from '../../dtype/dtype.ts';
import { registerType, type Program } from '../program/program.ts';
import type { Space } from '../program/space.ts';
import { emitInstruction } from '../program/instructions.ts';
import { PRELUDE } from './prelude.ts';
import { decode, encode, isSmallFloat, registerTypeName, storedType } from '../program/cuda-types.ts';

/** Threads per block. */
export const BLOCK = 256;

/** How an operand is indexed: contiguously, always the one element, or with its strides. */
export type Reach = 'dense' | 'uniform' | 'strided';

export interface ElementwiseVariant {
  readonly reaches: readonly Reach[];
  /** Axes of the space; 1 if no operand is strided. */
  readonly rank: number;
  /** True for 64-bit index arithmetic. */
  readonly wide: boolean;
  /** Elements that a thread loads together from dense operands; 1 if an address is not aligned for more. */
  readonly width: number;
}

export function elementsPerBlock(variant: ElementwiseVariant): number {
  return BLOCK * variant.width * (isStrided(variant) ? 4 : 1);
}

export const isStrided = ({ reaches }: ElementwiseVariant): boolean => reaches.includes('strided');

export function variantKey({ reaches, rank, wide, width }: ElementwiseVariant): string {
  return `${reaches.map(reach => reach[0]).join('')}${rank}${wide ? 'w' : 'n'}${width}`;
}

/** Chooses the variant for a simplified space and the addresses of its operands, outputs first. */
export function variantFor(
  space: Space,
  itemsizes: readonly number[],
  addresses: readonly bigint[]
): ElementwiseVariant {
  const { shape, places } = space;
  const size = shape.reduce((product, length) => product * length, 1);
  const flat = shape.length <= 1;
  const reaches = places.map(({ strides }, which): Reach => {
    if (strides.every(stride => stride === 0)) return 'uniform';
    return flat && strides[0] === itemsizes[which] ? 'dense' : 'strided';
  });
  // Strides over several axes need an index per axis, so dense operands use it too.
  const strided = reaches.includes('strided');
  const settled = strided
    ? reaches.map((reach): Reach => (reach === 'uniform' ? reach : 'strided'))
    : reaches;
  const span = Math.max(size, ...places.map(({ strides }) => extentBytes(shape, strides)));
  let width = strided ? 1 : 4;
  for (const [which, reach] of settled.entries()) {
    while (
      reach === 'dense' &&
      width > 1 &&
      (addresses[which]! % BigInt(itemsizes[which]! * width) !== 0n || itemsizes[which]! * width > 16)
    ) {
      width /= 2;
    }
  }
  return { reaches: settled, rank: strided ? shape.length : 1, wide: span >= 2 ** 31 - BLOCK * 64, width };
}

function extentBytes(shape: readonly number[], strides: readonly number[]): number {
  return shape.reduce((sum, length, axis) => sum + (length - 1) * Math.abs(strides[axis]!), 0);
}

interface Operand {
  readonly type: ReturnType<typeof registerType>;
  readonly name: string;
  readonly reach: Reach;
  readonly output: boolean;
}

function operandsOf(program: Program, { reaches }: ElementwiseVariant): Operand[] {
  const outputs = program.outputs.map((register, index) => ({
    type: registerType(program, register),
    name: `out${index}`,
    output: true
  }));
  const inputs = program.inputs.map((type, index) => ({ type, name: `in${index}`, output: false }));
  return [...outputs, ...inputs].map((operand, which) => ({ ...operand, reach: reaches[which]! }));
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
function emitFunction(program: Program): string {
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

function callElement(
  program: Program,
  operands: readonly Operand[],
  element: (operand: Operand) => string
): string {
  const inputs = operands.filter(({ output }) => !output).map(element);
  const values = program.values.map((_, index) => `value${index}`);
  const outputs = operands.filter(({ output }) => output).map(element);
  return `element(${[...inputs, ...values, ...outputs].join(', ')});`;
}

function emitDense(program: Program, variant: ElementwiseVariant, operands: readonly Operand[]): string {
  const { width } = variant;
  const dense = operands.filter(({ reach }) => reach === 'dense');
  const uniform = operands.filter(({ reach, output }) => reach === 'uniform' && !output);
  const lane = (operand: Operand): string =>
    operand.reach === 'dense' ? `${operand.name}Values.of[lane]` : `${operand.name}Value`;
  const single = (operand: Operand): string =>
    operand.reach === 'dense' ? `${operand.name}[at]` : `${operand.name}Value`;
  const [read, written] = [dense.filter(({ output }) => !output), dense.filter(({ output }) => output)];
  const pack = ({ type }: Operand): string => `Pack<${storedType(type)}, ${width}>`;
  const packs = dense.map(each => `${pack(each)} ${each.name}Values;`);
  const loads = read.map(each => `${each.name}Values = *(const ${pack(each)}*)(${each.name} + first);`);
  const stores = written.map(each => `*(${pack(each)}*)(${each.name} + first) = ${each.name}Values;`);
  // An output of one element is uniform: every space of one element has no axes.
  const lone = operands.filter(({ reach, output }) => reach === 'uniform' && output);
  const loneStores = lone.map(({ name, type }) => `${storedType(type)} ${name}Value;`).join(' ');
  const afterLone = lone.map(({ name }) => `*${name} = ${name}Value;`).join(' ');
  return `
    ${uniform.map(({ name, type }) => `const ${storedType(type)} ${name}Value = *${name};`).join(' ')}
    ${loneStores}
    const Index first = (Index)blockIdx.x * ${BLOCK * width} + threadIdx.x * ${width};
    if (first - threadIdx.x * ${width} + ${BLOCK * width} <= count) {
      ${packs.join(' ')}
      ${loads.join(' ')}
      #pragma unroll
      for (int lane = 0; lane < ${width}; ++lane) { ${callElement(program, operands, lane)} }
      ${stores.join(' ')}
      ${afterLone}
      return;
    }
    for (int lane = 0; lane < ${width}; ++lane) {
      const Index at = first + lane;
      if (at < count) { ${callElement(program, operands, single)} ${afterLone} }
    }`;
}

function emitStrided(program: Program, variant: ElementwiseVariant, operands: readonly Operand[]): string {
  const { rank } = variant;
  const offsets = operands.map(({ name }) => `Index ${name}At = 0;`).join(' ');
  const steps = [];
  for (let axis = rank - 1; axis >= 0; axis--) {
    const place = axis === 0 ? 'left' : `left % dims.shape[${axis}]`;
    const advance = operands
      .map(({ name }, which) => `${name}At += place * dims.strides[${which}][${axis}];`)
      .join(' ');
    steps.push(
      `{ const Unsigned place = ${place}; ${advance} ${axis === 0 ? '' : `left /= dims.shape[${axis}];`} }`
    );
  }
  const element = ({ name, type }: Operand): string => `*(${storedType(type)}*)((char*)${name} + ${name}At)`;
  return `
    for (int turn = 0; turn < 4; ++turn) {
      const Index at = ((Index)blockIdx.x * 4 + turn) * ${BLOCK} + threadIdx.x;
      if (at >= count) return;
      Unsigned left = (Unsigned)at;
      ${offsets}
      ${steps.join('\n      ')}
      ${callElement(program, operands, element)}
    }`;
}

/** Writes kernel `elementwise`: pointers (outputs first), values, the number of elements, and the layout of strided operands. */
export function emitElementwise(program: Program, variant: ElementwiseVariant): string {
  const operands = operandsOf(program, variant);
  const strided = isStrided(variant);
  const parameters = [
    ...operands.map(({ name, type, output }) => `${output ? '' : 'const '}${storedType(type)}* ${name}`),
    ...program.values.map((type, index) => `const ${storedType(type)} value${index}`),
    'const Index count',
    ...(strided ? ['const __grid_constant__ Dims dims'] : [])
  ];
  return `${PRELUDE}
typedef ${variant.wide ? 'long long' : 'int'} Index;
typedef ${variant.wide ? 'unsigned long long' : 'unsigned int'} Unsigned;
template <typename T, int N> struct alignas(N == 1 ? alignof(T) : sizeof(T) * N) Pack { T of[N]; };
struct Dims { Unsigned shape[${variant.rank}]; Index strides[${operands.length}][${variant.rank}]; };
${emitFunction(program)}
extern "C" __global__ void __launch_bounds__(${BLOCK}) elementwise(${parameters.join(', ')}) {
${strided ? emitStrided(program, variant, operands) : emitDense(program, variant, operands)}
}
`;
}

/** Bytes of each value in the kernel's parameters. */
export const valueSizes = (program: Program): number[] => program.values.map(type => dtypes[type].itemsize);
