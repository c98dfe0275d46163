/** What the arguments of known functions have to be. */

import { formatCounted } from '../../base/count-text.ts';
import type { Expression } from '../program/program.ts';
import {
  ELEMENT_TYPES,
  isComplex,
  isFloat,
  isInteger,
  type ElementType,
  type ValueType
} from '../program/types.ts';
import { toIndex } from './arithmetic.ts';
import { Unknowable, requireScalar, type Lowering } from './lowering.ts';
import { constantOf, convert, refusal } from './numbers.ts';
import { elementOfCast } from './number-types.ts';
import type { ArrayValue, Node, Scalar, Value } from './values.ts';

/** Fails unless the elements of an array have one of the types. */
export function requireElement(
  lowering: Lowering,
  { name, element }: ArrayValue,
  types: readonly ElementType[],
  node: Node
): void {
  if (!types.includes(element))
    lowering.fail(`${name} has elements of type ${element}, expected ${types.join(', ')}`, node);
}

export function requireArrayValue(lowering: Lowering, value: Value, node: Node): ArrayValue {
  if (value.kind === 'unknown') throw new Unknowable();
  return value.kind === 'array' ? value : lowering.fail('expected an array', node);
}

/** Returns the element type that `f32`, `i32`… stand for. */
export function requireType(lowering: Lowering, value: Value | undefined, node: Node): ElementType {
  const element = value?.kind === 'host' ? elementOfCast(value.value) : undefined;
  if (element !== undefined && ELEMENT_TYPES.includes(element)) return element;
  return lowering.fail('expected a number type of kernels', node, 'pass f32, f64, i32, u32…');
}

/** Returns a whole number that is known when the kernel is compiled. */
export function requireConstant(
  lowering: Lowering,
  value: Value | undefined,
  what: string,
  node: Node
): number {
  if (value?.kind === 'unknown') throw new Unknowable();
  const known = value?.kind === 'scalar' ? constantOf(value) : undefined;
  if (typeof known === 'number' && Number.isInteger(known) && known > 0) return known;
  return lowering.fail(
    `${what} must be a whole number from 1 that is known when the kernel is compiled`,
    node,
    'use a literal or a captured constant'
  );
}

/** Returns a value in a type, or fails. */
export function requireValue(lowering: Lowering, value: Value, type: ValueType, node: Node): Expression {
  const given = requireScalar(lowering, value, node);
  const refused = refusal(given, type, true);
  return refused === undefined ? convert(given, type) : lowering.fail(refused, node);
}

/** Returns a float: an integer becomes f32. */
export function requireFloat(lowering: Lowering, value: Value, node: Node): Scalar {
  const given = requireScalar(lowering, value, node);
  const { type } = given.expression;
  if (isFloat(type)) return given.weak === null ? given : { ...given, expression: convert(given, type) };
  if (type === 'bool') return lowering.fail('expected a number, found a boolean', node);
  if (isComplex(type))
    return lowering.fail(
      `expected a real number, found a complex one (${type})`,
      node,
      'use cuda.real(x), cuda.imag(x) or Math.abs(x)'
    );
  if (type === 'i64' || type === 'u64')
    return lowering.fail(`expected a number, found ${type}`, node, 'write f64(x)');
  return { kind: 'scalar', expression: convert(given, 'f32'), weak: given.weak === null ? null : 'float' };
}

export function requireInteger(lowering: Lowering, value: Value, node: Node): Expression {
  const { expression } = requireScalar(lowering, value, node);
  return isInteger(expression.type)
    ? expression
    : lowering.fail(`expected an integer, found ${expression.type}`, node, 'write i32(x)');
}

/** Returns the indices of an atomic: a number, or a list with one for each axis. */
export function requireIndices(
  lowering: Lowering,
  array: ArrayValue,
  value: Value,
  node: Node
): Expression[] {
  const list = value.kind === 'object' && value.list ? [...value.fields.values()] : [value];
  const index = [...array.index, ...list.map(each => toIndex(lowering, each as Value, node))];
  return requireRank(lowering, array, index, node, `write [${NAMES.slice(0, array.rank).join(', ')}]`);
}

const NAMES = ['i', 'j', 'k', 'l'];

/** Returns the indices, or fails unless there is one for each axis. */
export function requireRank(
  lowering: Lowering,
  { name, rank }: ArrayValue,
  index: readonly Expression[],
  node: Node,
  hint = `write ${name}${NAMES.slice(0, rank)
    .map(each => `[${each}]`)
    .join('')}`
): Expression[] {
  if (index.length === rank) return [...index];
  const axes = formatCounted(rank, 'axis', 'axes');
  return lowering.fail(
    `${name} has ${axes}, found ${formatCounted(index.length, 'index', 'indices')}`,
    node,
    hint
  );
}

/** Refuses an index behind the last axis of an array. */
export function refuseElement(lowering: Lowering, node: Node): never {
  return lowering.fail('a number has no elements', node, 'the array has fewer axes than indices stand here');
}
