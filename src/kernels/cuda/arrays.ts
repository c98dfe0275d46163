/** Elements and lengths of arrays as CUDA C++. Pure. */

import type { ArrayReference, Expression, Program } from '../program/program.ts';
import { ELEMENTS, type ElementType } from '../program/types.ts';
import { typed, type Emission } from './emission.ts';
import { infix, LEVEL, primary, type Text } from './text.ts';
import { constant } from './types.ts';

/** Writes the length of an axis. */
export function extent(
  { program, names, use }: Emission,
  { from, index }: ArrayReference,
  axis: number
): Text {
  if (from === 'parameter') return primary(names.extent(index, axis));
  if (from === 'table') return constant('i32', program.tables[index]!.shape[axis]!);
  const { dynamic, shape, element } = program.memories[index]!;
  if (!dynamic) return constant('i32', shape[axis]!);
  use('dynamicBytes');
  return {
    ...infix(primary('dynamicBytes()'), '/', constant('u32', ELEMENTS[element].bytes), LEVEL.product),
    unsigned: true
  };
}

export function elementOf(
  { parameters, memories, tables }: Program,
  { from, index }: ArrayReference
): ElementType {
  if (from === 'memory') return memories[index]!.element;
  if (from === 'table') return tables[index]!.element;
  const parameter = parameters[index]!;
  if (parameter.kind !== 'array') throw new TypeError(`the parameter ${parameter.name} is no array`);
  return parameter.element;
}

/** Writes an element of an array as it is stored. */
export function elementText(emission: Emission, array: ArrayReference, index: readonly Expression[]): Text {
  const { program, names } = emission;
  const name = names.array(array);
  const found = array.from === 'parameter' ? program.parameters[array.index] : undefined;
  const parameter = found?.kind === 'array' ? found : undefined;
  // A stride may be negative, so it needs signed indices.
  const counts = parameter?.contiguous !== false && index.every(each => isCount(emission, each));
  const parts = index.map(each => (counts ? emission.write(each) : indexText(emission, each)));
  if (parameter === undefined) return primary(name + parts.map(({ text }) => `[${text}]`).join(''));
  const scaled = (part: Text, factor: string): Text => infix(part, '*', primary(factor), LEVEL.product);
  const sum = (left: Text, right: Text): Text => infix(left, '+', right, LEVEL.sum);
  const offset = parameter.contiguous
    ? parts.reduce((whole, part, axis) => sum(scaled(whole, names.extent(array.index, axis)), part))
    : parts.map((part, axis) => scaled(part, names.stride(array.index, axis))).reduce(sum);
  return primary(`${name}[${offset.text}]`);
}

/** Returns true for sums and products of what is never negative, which unsigned text says as well. */
function isCount(emission: Emission, node: Expression): boolean {
  switch (node.kind) {
    case 'special':
      return true;
    case 'constant':
      return Number(node.value) >= 0;
    case 'variable': {
      const value = emission.inlined.get(node.variable.id);
      return value !== undefined && isCount(emission, value);
    }
    case 'binary':
      return (
        /^(?:add|multiply)$/.test(node.operation) &&
        isCount(emission, node.left) &&
        isCount(emission, node.right)
      );
    default:
      return false;
  }
}

const INDEX_OPERATORS: Readonly<Record<string, readonly [string, number] | undefined>> = {
  add: ['+', LEVEL.sum],
  subtract: ['-', LEVEL.sum],
  multiply: ['*', LEVEL.product]
};

/**
 * Writes an index. Its sums and products are signed, though C++ leaves their overflow undefined: an index beyond its type is outside the
 * array, and the compiler may then compute addresses step by step.
 */
function indexText(emission: Emission, node: Expression): Text {
  const value = node.kind === 'variable' ? emission.inlined.get(node.variable.id) : undefined;
  if (value !== undefined) return indexText(emission, value);
  const operator = node.kind === 'binary' ? INDEX_OPERATORS[node.operation] : undefined;
  if (operator === undefined || node.kind !== 'binary') return typed(emission, node);
  return infix(indexText(emission, node.left), operator[0], indexText(emission, node.right), operator[1]);
}
