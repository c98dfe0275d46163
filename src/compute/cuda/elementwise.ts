/** Generates CUDA C++ for elementwise programs. Pure. */

import { dtypes } from '../../dtype/dtype.ts';
import { registerType, type Program } from '../program/program.ts';
import type { Space } from '../program/space.ts';
import { emitInstruction } from '../program/instructions.ts';
import { PRELUDE } from './prelude.ts';
import { decode, encode, isSmallFloat, registerTypeName, storedType } from '../program/cuda-types.ts';

/** Threads per block. */
export const BLOCK = 256;

/** Packs that a thread of a strided kernel takes if they are single elements, so that several loads are in flight. */
const TURNS = 4;
/** Bytes that a thread loads or stores at once. */
const VECTOR_BYTES = 16;

/** How an operand is indexed: contiguously, at least along the last axis; always the one element; or with its strides. */
export type Reach = 'dense' | 'uniform' | 'strided';

export interface ElementwiseVariant {
  readonly reaches: readonly Reach[];
  /** Axes of the space; 1 if no operand is strided. */
  readonly rank: number;
  /** True for 64-bit index arithmetic. */
  readonly wide: boolean;
  /** Elements of the last axis that a thread loads together from dense operands: a pack. */
  readonly width: number;
}

/** Whether operands need an index along each axis. */
export const isStrided = ({ reaches, rank }: ElementwiseVariant): boolean =>
  rank > 1 || reaches.includes('strided');

const turnsOf = (variant: ElementwiseVariant): number =>
  isStrided(variant) && variant.width === 1 ? TURNS : 1;

export function packsPerBlock(variant: ElementwiseVariant): number {
  return BLOCK * turnsOf(variant);
}

export function variantKey({ reaches, rank, wide, width }: ElementwiseVariant): string {
  return `${reaches.map(reach => reach[0]).join('')}${rank}${wide ? 'w' : 'n'}${width}`;
}

/** Chooses the variant of a program for a simplified space and the addresses of its operands, outputs first. */
export function variantFor(
  program: Program,
  { shape, places }: Space,
  itemsizes: readonly number[],
  addresses: readonly bigint[]
): ElementwiseVariant {
  const last = shape.length - 1;
  const size = shape.reduce((product, length) => product * length, 1);
  const stepOf = (which: number): number => places[which]!.strides[last] ?? 0;
  const isUniform = places.map(({ strides }) => strides.every(stride => stride === 0));
  const isDense = places.map((_, which) => stepOf(which) === itemsizes[which]);
  const flat = last <= 0 && isDense.every((dense, which) => dense || isUniform[which]);
  // Whether the operands allow packs: others than the dense ones give one value to a whole pack.
  const packs = isDense.every(
    (dense, which) => dense || (stepOf(which) === 0 && which >= program.outputs.length)
  );
  const span = Math.max(size, ...places.map(({ strides }) => extentBytes(shape, strides)));
  const allows = (width: number): boolean =>
    isDense.every((dense, which) => {
      const bytes = width * itemsizes[which]!;
      if (!dense) return true;
      const outer = places[which]!.strides.slice(0, last);
      return (
        bytes <= VECTOR_BYTES &&
        addresses[which]! % BigInt(bytes) === 0n &&
        outer.every(stride => stride % bytes === 0)
      );
    });
  let width = flat || packs ? mostPerPack(program) : 1;
  while (width > 1 && !(allows(width) && (flat || shape[last]! % width === 0))) width /= 2;
  const reaches = isDense.map((dense, which): Reach => {
    if (isUniform[which]) return 'uniform';
    return dense && (flat || width > 1) ? 'dense' : 'strided';
  });
  return { reaches, rank: flat ? 1 : shape.length, wide: span >= 2 ** 31 - BLOCK * 64, width };
}

/** Returns the most elements that a thread computes from its packs: fewer for long code, which is repeated for each element. */
function mostPerPack(program: Program): number {
  const types = [...program.inputs, ...program.outputs.map(register => registerType(program, register))];
  const isLong = program.instructions.length > 4 || types.some(type => type.startsWith('float8'));
  return isLong ? 4 : VECTOR_BYTES;
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

const packType = ({ type }: Operand, width: number): string => `Pack<${storedType(type)}, ${width}>`;

function emitDense(program: Program, { width }: ElementwiseVariant, operands: readonly Operand[]): string {
  const dense = operands.filter(({ reach }) => reach === 'dense');
  const uniform = operands.filter(({ reach, output }) => reach === 'uniform' && !output);
  const lane = (operand: Operand): string =>
    operand.reach === 'dense' ? `${operand.name}Values.of[lane]` : `${operand.name}Value`;
  const single = (operand: Operand): string =>
    operand.reach === 'dense' ? `${operand.name}[at]` : `${operand.name}Value`;
  const [read, written] = [dense.filter(({ output }) => !output), dense.filter(({ output }) => output)];
  const packs = dense.map(each => `${packType(each, width)} ${each.name}Values;`);
  const loads = read.map(
    each => `${each.name}Values = *(const ${packType(each, width)}*)(${each.name} + first);`
  );
  const stores = written.map(
    each => `*(${packType(each, width)}*)(${each.name} + first) = ${each.name}Values;`
  );
  // An output of one element is uniform: every space of one element has no axes.
  const lone = operands.filter(({ reach, output }) => reach === 'uniform' && output);
  const loneStores = lone.map(({ name, type }) => `${storedType(type)} ${name}Value;`).join(' ');
  const afterLone = lone.map(({ name }) => `*${name} = ${name}Value;`).join(' ');
  return `
    ${uniform.map(({ name, type }) => `const ${storedType(type)} ${name}Value = *${name};`).join(' ')}
    ${loneStores}
    const Index start = (Index)blockIdx.x * ${BLOCK * width};
    if (start + ${BLOCK * width} <= count) {
      const Index first = start + threadIdx.x * ${width};
      ${packs.join(' ')}
      ${loads.join(' ')}
      #pragma unroll
      for (int lane = 0; lane < ${width}; ++lane) { ${callElement(program, operands, lane)} }
      ${stores.join(' ')}
      ${afterLone}
      return;
    }
    for (Index at = start + threadIdx.x; at < count; at += ${BLOCK}) { ${callElement(program, operands, single)} ${afterLone} }`;
}

/** Writes the body for operands with strides, whose last axis counts packs. All loads precede the first store. */
function emitStrided(program: Program, variant: ElementwiseVariant, operands: readonly Operand[]): string {
  const { rank, width } = variant;
  const turns = turnsOf(variant);
  const moved = operands.filter(({ reach }) => reach !== 'uniform');
  const valuesOf = (operand: Operand): string => packType(operand, operand.reach === 'dense' ? width : 1);
  const declared = operands.map(
    each => `Index ${each.name}At[${turns}]; ${valuesOf(each)} ${each.name}Values[${turns}];`
  );
  const steps = [];
  for (let axis = rank - 1; axis >= 0; axis--) {
    const place = axis === 0 ? 'left' : `left % dims.shape[${axis}]`;
    const advance = moved.map(
      ({ name }) =>
        `${name}At[turn] += place * dims.strides[${operands.findIndex(each => each.name === name)}][${axis}];`
    );
    steps.push(
      `{ const Unsigned place = ${place}; ${advance.join(' ')} ${axis === 0 ? '' : `left /= dims.shape[${axis}];`} }`
    );
  }
  const place = ({ name }: Operand): string => `((char*)${name} + ${name}At[turn])`;
  const reads = operands.filter(({ output }) => !output);
  const loads = reads.map(each => `${each.name}Values[turn] = *(const ${valuesOf(each)}*)${place(each)};`);
  const stores = operands
    .filter(({ output }) => output)
    .map(each => `*(${valuesOf(each)}*)${place(each)} = ${each.name}Values[turn];`);
  const lane = ({ name, reach }: Operand): string =>
    `${name}Values[turn].of[${reach === 'dense' ? 'lane' : 0}]`;
  return `
    ${declared.join('\n    ')}
    #pragma unroll
    for (int turn = 0; turn < ${turns}; ++turn) {
      const Index at = ((Index)blockIdx.x * ${turns} + turn) * ${BLOCK} + threadIdx.x;
      if (at >= count) break;
      Unsigned left = (Unsigned)at;
      ${operands.map(({ name }) => `${name}At[turn] = 0;`).join(' ')}
      ${steps.join('\n      ')}
      ${loads.join(' ')}
    }
    #pragma unroll
    for (int turn = 0; turn < ${turns}; ++turn) {
      if (((Index)blockIdx.x * ${turns} + turn) * ${BLOCK} + threadIdx.x >= count) break;
      #pragma unroll
      for (int lane = 0; lane < ${width}; ++lane) { ${callElement(program, operands, lane)} }
      ${stores.join(' ')}
    }`;
}

/** Writes kernel `elementwise`: pointers (outputs first), values, the number of elements (of packs, if strided), and the layout of strided operands. */
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
