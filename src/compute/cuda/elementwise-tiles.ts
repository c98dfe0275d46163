/** Generates the body of kernels for operands that are contiguous along different axes. Pure. */

import { storedType } from '../program/cuda-types.ts';
import type { Program } from '../program/program.ts';
import { callElement, emitSteps, type Operand } from './elementwise-operands.ts';
import { BLOCK, tileSide, turnsOf, type ElementwiseVariant } from './elementwise-variant.ts';

/**
 * Writes the body of a kernel whose blocks each compute a tile of the last two axes. It reads the crosswise operands along the last but one,
 * into shared memory, and all others along the last.
 */
export function emitTiled(
  program: Program,
  variant: ElementwiseVariant,
  operands: readonly Operand[]
): string {
  const { rank } = variant;
  const side = tileSide(program);
  const [turns, behind] = [turnsOf(variant, program), BLOCK / side];
  const moved = operands.filter(({ reach }) => reach !== 'uniform');
  const crosswise = operands.filter(({ reach }) => reach === 'crosswise');
  const others = operands.filter(({ reach, output }) => reach !== 'crosswise' && !output);
  const outputs = operands.filter(({ output }) => output);
  const element = ({ name, type, index, reach, output }: Operand): string => {
    const constant = output ? '' : 'const ';
    const along = (place: string, axis: number): string =>
      `(Index)${place} * dims.strides[${index}][${axis}]`;
    const offset = ` + ${name}At + ${along('row', rank - 2)} + ${along('column', rank - 1)}`;
    return `*(${constant}${storedType(type)}*)((${constant}char*)${name}${reach === 'uniform' ? '' : offset})`;
  };
  // A further column keeps the threads of a warp, which read a column of the tile, in different banks.
  const tiles = crosswise.map(({ name, type }) => {
    const stored = storedType(type);
    return `__shared__ __align__(16) char ${name}Memory[sizeof(${stored}) * ${side * (side + 1)}];
    const auto ${name}Tile = (${stored} (*)[${side + 1}])${name}Memory;`;
  });
  const values = operands.map(({ name, type }) => `${storedType(type)} ${name}Values[${turns}];`);
  const fill = crosswise.map(each => `${each.name}Tile[at][x] = ${element(each)};`);
  const loads = [
    ...others.map(each => `${each.name}Values[turn] = ${element(each)};`),
    ...crosswise.map(({ name }) => `${name}Values[turn] = ${name}Tile[x][at];`)
  ];
  const stores = outputs.map(each => `${element(each)} = ${each.name}Values[turn];`);
  const eachTurn = (row: string, column: string, code: string): string => `#pragma unroll
    for (int turn = 0; turn < ${turns}; ++turn) {
      const Unsigned at = y + turn * ${behind}, row = ${row}, column = ${column};
      if (row < rows && column < columns) { ${code} }
    }`;
  const call = callElement(program, operands, ({ name }) => `${name}Values[turn]`);
  return `
    ${tiles.join('\n    ')}
    const Unsigned rows = dims.shape[${rank - 2}], columns = dims.shape[${rank - 1}];
    const Unsigned rowTiles = (rows + ${side - 1}) / ${side}, columnTiles = (columns + ${side - 1}) / ${side};
    const Unsigned row0 = blockIdx.x / columnTiles % rowTiles * ${side}, column0 = blockIdx.x % columnTiles * ${side};
    const Unsigned x = threadIdx.x % ${side}, y = threadIdx.x / ${side};
    ${rank > 2 ? 'Unsigned left = blockIdx.x / columnTiles / rowTiles;' : ''}
    Index ${moved.map(({ name }) => `${name}At = 0`).join(', ')};
    ${emitSteps(moved, rank - 2, name => `${name}At`).join('\n    ')}
    ${eachTurn('row0 + x', 'column0 + at', fill.join(' '))}
    __syncthreads();
    ${values.join(' ')}
    ${eachTurn('row0 + at', 'column0 + x', loads.join(' '))}
    ${eachTurn('row0 + at', 'column0 + x', `${call} ${stores.join(' ')}`)}`;
}
