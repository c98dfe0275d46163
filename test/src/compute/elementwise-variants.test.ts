/** Kernels for elementwise programs load as much at once as the layout of their operands allows. */

import { buildProgram, Expression } from '../../../src/compute/program/expression.ts';
import { simplify, type Place } from '../../../src/compute/program/space.ts';
import { emitElementwise } from '../../../src/compute/cuda/elementwise.ts';
import { blocksFor, traversalOf, variantFor } from '../../../src/compute/cuda/elementwise-variant.ts';
import type { ElementTypeName } from '../../../src/compute/program/element-types.ts';
import { dtypes } from '../../../src/dtype/dtype.ts';

interface Case {
  readonly types?: readonly [to: ElementTypeName, from: ElementTypeName];
  readonly shape: readonly number[];
  /** Elements from one to the next along each axis, for the output and for the input. */
  readonly strides: readonly [to: readonly number[], from: readonly number[]];
  /** Elements before the first. */
  readonly offsets?: readonly [to: number, from: number];
}

/** Chooses the kernel of a cast between two blocks that are aligned to 256 bytes. */
function kernelOf({ types = ['float32', 'float32'], shape, strides, offsets = [0, 0] }: Case) {
  const input = Expression.input(0, types[1]);
  const cast = types[0] === types[1] ? input : Expression.operation('cast', types[0], input);
  const { program } = buildProgram([types[1]], [cast]);
  const sizes = types.map(type => dtypes[type].itemsize);
  const places = strides.map((list, which): Place => ({
    offset: offsets[which]! * sizes[which]!,
    strides: list.map(stride => stride * sizes[which]!)
  }));
  const space = simplify({ shape, places });
  const addresses = space.places.map(({ offset }) => 256n + BigInt(offset));
  const choice = variantFor(program, space, sizes, addresses);
  const { variant } = choice;
  return { variant, blocks: blocksFor(program, choice), code: emitElementwise(program, variant) };
}

const dense = (...shape: number[]): number[] =>
  shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));

test('contiguous operands are loaded 16 bytes at a time, limited by the widest type', () => {
  const width = (to: ElementTypeName, from: ElementTypeName): number =>
    kernelOf({ types: [to, from], shape: [1000], strides: [[1], [1]] }).variant.width;
  expect(width('int8', 'int8')).toBe(16);
  expect(width('float16', 'float16')).toBe(8);
  expect(width('float32', 'float32')).toBe(4);
  expect(width('float64', 'int8')).toBe(2);
  expect(width('complex128', 'complex128')).toBe(1);
});

test('a misaligned operand narrows the loads', () => {
  const width = (offset: number): number =>
    kernelOf({ shape: [1000], strides: [[1], [1]], offsets: [0, offset] }).variant.width;
  expect([4, 2, 1, 6].map(width)).toEqual([4, 2, 1, 2]);
});

test('rows with gaps are loaded in packs if they hold a whole number of them', () => {
  const rows = (length: number, gap: number) =>
    kernelOf({
      shape: [30, length],
      strides: [
        [length, 1],
        [length + gap, 1]
      ]
    });
  expect(rows(64, 16)).toMatchObject({
    variant: { reaches: ['dense', 'dense'], rank: 2, wide: false, width: 4 },
    blocks: Math.ceil((30 * 64) / 4 / 256)
  });
  expect(rows(62, 16).variant.width).toBe(2);
  expect(rows(64, 3)).toMatchObject({
    variant: { reaches: ['strided', 'strided'], rank: 2, wide: false, width: 1 },
    blocks: Math.ceil((30 * 64) / 1024)
  });
});

test('a value for a whole row is loaded once for each pack, and one for all rows once for each thread', () => {
  const column = kernelOf({ shape: [30, 64], strides: [dense(30, 64), [1, 0]] });
  expect(column.variant).toEqual({ reaches: ['dense', 'strided'], rank: 2, wide: false, width: 4 });
  expect(column.code).toContain('in0Values[turn].of[0]');
  const one = kernelOf({ shape: [30, 64], strides: [dense(30, 64), [0, 0]] });
  expect(one.variant).toEqual({ reaches: ['dense', 'uniform'], rank: 1, wide: false, width: 4 });
});

test('steps along the last axis, also negative ones, take an index for each element', () => {
  for (const step of [2, -1]) {
    const { variant } = kernelOf({ shape: [1000], strides: [[1], [step]], offsets: [0, 2000] });
    expect(variant).toEqual({ reaches: ['strided', 'strided'], rank: 1, wide: false, width: 1 });
    expect(traversalOf(variant)).toBe('strided');
  }
});

test('more bytes than 32-bit indices reach have wide indices', () => {
  const variant = (length: number) => kernelOf({ shape: [length], strides: [[1], [1]] }).variant;
  expect(variant(2 ** 28).wide).toBe(false);
  expect(variant(2 ** 29).wide).toBe(true);
});

describe('tiles', () => {
  const columns = (...shape: number[]): number[] => dense(...shape.toReversed()).toReversed();

  test('take an input that is contiguous along another axis than the output', () => {
    const { variant, blocks, code } = kernelOf({
      shape: [100, 70],
      strides: [dense(100, 70), columns(100, 70)]
    });
    expect(variant).toEqual({ reaches: ['strided', 'crosswise'], rank: 2, wide: false, width: 1 });
    expect(traversalOf(variant)).toBe('tiled');
    expect(blocks).toBe(4 * 3);
    expect(code).toContain('in0Memory[sizeof(float) * 1056]');
  });

  test('have the contiguous axis of the input next to the last, and one block for each step of the others', () => {
    const { variant, blocks } = kernelOf({
      shape: [40, 5, 70],
      strides: [dense(40, 5, 70), [1, 40, 200]]
    });
    expect(variant).toMatchObject({ reaches: ['strided', 'crosswise'], rank: 3 });
    expect(blocks).toBe(5 * 2 * 3);
  });

  test('have 64 rows of small elements', () => {
    const { blocks } = kernelOf({
      types: ['int8', 'int8'],
      shape: [100, 70],
      strides: [dense(100, 70), columns(100, 70)]
    });
    expect(blocks).toBe(2 * 2);
  });

  test('fit into shared memory, others are read as they lie', () => {
    const types = Array.from({ length: 3 }, (): ElementTypeName => 'complex128');
    const sum = types
      .map((type, index) => Expression.input(index, type))
      .reduce((a, b) => Expression.operation('add', 'complex128', a, b));
    const { program } = buildProgram(types, [sum]);
    const strides = [dense(100, 70), ...types.map(() => columns(100, 70))];
    const places = strides.map(list => ({ offset: 0, strides: list.map(stride => 16 * stride) }));
    const { variant } = variantFor(
      program,
      { shape: [100, 70], places },
      Array.from({ length: 4 }, () => 16),
      Array.from({ length: 4 }, () => 256n)
    );
    expect(variant.reaches).toEqual(['strided', 'crosswise', 'crosswise', 'strided']);
  });

  test('are not worth it along short axes, for repeated columns, and for windows', () => {
    const reaches = (shape: readonly number[], from: readonly number[]) =>
      kernelOf({ shape, strides: [dense(...shape), from] }).variant.reaches;
    expect(reaches([15, 70], columns(15, 70))).not.toContain('crosswise');
    expect(reaches([100, 15], columns(100, 15))).not.toContain('crosswise');
    expect(reaches([100, 70], [1, 0])).not.toContain('crosswise');
    expect(reaches([100, 70], [1, 1])).not.toContain('crosswise');
  });
});
