/** Generates CUDA C++ for elementwise programs. Pure. */

import { dtypes } from '../../dtype/dtype.ts';
import { storedType } from '../program/cuda-types.ts';
import type { Program } from '../program/program.ts';
import { callElement, emitFunction, emitSteps, operandsOf, type Operand } from './elementwise-operands.ts';
import { emitTiled } from './elementwise-tiles.ts';
import { BLOCK, traversalOf, turnsOf, type ElementwiseVariant } from './elementwise-variant.ts';
import { PRELUDE } from './prelude.ts';

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
  const turns = turnsOf(variant, program);
  const moved = operands.filter(({ reach }) => reach !== 'uniform');
  const valuesOf = (operand: Operand): string => packType(operand, operand.reach === 'dense' ? width : 1);
  const declared = operands.map(
    each => `Index ${each.name}At[${turns}]; ${valuesOf(each)} ${each.name}Values[${turns}];`
  );
  const steps = emitSteps(moved, rank, name => `${name}At[turn]`);
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

const BODIES = { flat: emitDense, strided: emitStrided, tiled: emitTiled };

/**
 * Writes kernel `elementwise`: pointers (outputs first), values, the number of elements (of packs, if the kernel is strided; unless it is
 * tiled), and the layout of the operands, unless they are flat.
 */
export function emitElementwise(program: Program, variant: ElementwiseVariant): string {
  const operands = operandsOf(program, variant);
  const traversal = traversalOf(variant);
  const parameters = [
    ...operands.map(({ name, type, output }) => `${output ? '' : 'const '}${storedType(type)}* ${name}`),
    ...program.values.map((type, index) => `const ${storedType(type)} value${index}`),
    ...(traversal === 'tiled' ? [] : ['const Index count']),
    ...(traversal === 'flat' ? [] : ['const __grid_constant__ Dims dims'])
  ];
  return `${PRELUDE}
typedef ${variant.wide ? 'long long' : 'int'} Index;
typedef ${variant.wide ? 'unsigned long long' : 'unsigned int'} Unsigned;
template <typename T, int N> struct alignas(N == 1 ? alignof(T) : sizeof(T) * N) Pack { T of[N]; };
struct Dims { Unsigned shape[${variant.rank}]; Index strides[${operands.length}][${variant.rank}]; };
${emitFunction(program)}
extern "C" __global__ void __launch_bounds__(${BLOCK}) elementwise(${parameters.join(', ')}) {
${BODIES[traversal](program, variant, operands)}
}
`;
}

/** Bytes of each value in the kernel's parameters. */
export const valueSizes = (program: Program): number[] => program.values.map(type => dtypes[type].itemsize);
