/** Loads and stores of several elements at once. */

import { ELEMENTS, type ElementType } from '../program/types.ts';
import { coerce, noteWrite } from './assignments.ts';
import { deviceFunction } from './device-functions.ts';
import type { DeviceArray } from './device-types.ts';
import { argumentsOf, type Call } from './known-functions.ts';
import { readBinding, type Lowering } from './lowering.ts';
import { scalar } from './numbers.ts';
import { requireArrayValue, requireConstant, requireIndices } from './requirements.ts';
import { VOID, type ArrayValue, type Node, type Value } from './values.ts';

const LENGTHS = [2, 4, 8, 16];
const MOST_BYTES = 16;

/** Returns the lengths of vectors of an element. */
const lengthsOf = (element: ElementType): readonly number[] =>
  LENGTHS.filter(length => length * ELEMENTS[element].bytes <= MOST_BYTES);

function requireLength(lowering: Lowering, { element }: ArrayValue, length: number, node: Node): void {
  const known = lengthsOf(element);
  if (!known.includes(length))
    lowering.fail(
      `a vector of ${element} has ${known.join(' or ')} elements, found ${length}`,
      node,
      `it has at most ${MOST_BYTES} bytes`
    );
}

/** Returns the array of a vector access, and notes that its last axis must have no gaps. */
function vectorArray(lowering: Lowering, value: Value, node: Node): ArrayValue {
  const array = requireArrayValue(lowering, value, node);
  const { from, index } = array.reference;
  if (from === 'table' || (from === 'memory' && lowering.memories[index]!.space === 'local'))
    return lowering.fail(
      `${array.name} is neither an argument nor in shared memory`,
      node,
      'read its elements one by one'
    );
  if (from === 'parameter') lowering.vectors.add(index);
  return array;
}

function load(call: Call): Value {
  const { lowering, node, nodes } = call;
  const [given, at, count] = argumentsOf(call, 3) as [Value, Value, Value];
  const array = vectorArray(lowering, given, nodes[0]!);
  const length = requireConstant(lowering, count, 'the length of a vector', nodes[2]!);
  requireLength(lowering, array, length, nodes[2]!);
  const index = requireIndices(lowering, array, at, nodes[1]!);
  const { value: type } = ELEMENTS[array.element];
  const results = Array.from({ length }, () => lowering.variable('', type));
  const place = lowering.place(node);
  lowering.emit({ kind: 'loadVector', array: array.reference, index, results, place });
  const fields = results.map((variable, field): [string, Value] => [
    String(field),
    scalar({ kind: 'variable', variable, type, place })
  ]);
  return { kind: 'object', list: true, fields: new Map(fields) };
}

function store(call: Call): Value {
  const { lowering, node, nodes } = call;
  const [given, at, list] = argumentsOf(call, 3) as [Value, Value, Value];
  const array = vectorArray(lowering, given, nodes[0]!);
  if (list.kind !== 'object' || !list.list)
    return lowering.fail('expected a list of values', nodes[2]!, 'write [a, b, c, d]');
  requireLength(lowering, array, list.fields.size, nodes[2]!);
  noteWrite(lowering, array, nodes[0]!);
  const index = requireIndices(lowering, array, at, nodes[1]!);
  const { value: type } = ELEMENTS[array.element];
  const place = lowering.place(node);
  const values = [...list.fields.values()].map(each =>
    coerce(lowering, readBinding(each, place), type, nodes[2]!, true)
  );
  lowering.emit({ kind: 'storeVector', array: array.reference, index, values, place });
  return VOID;
}

/** As many values as a vector has. */
interface Lists<T> {
  2: [T, T];
  4: [T, T, T, T];
  8: [T, T, T, T, T, T, T, T];
  16: [T, T, T, T, T, T, T, T, T, T, T, T, T, T, T, T];
}
type Length = keyof Lists<unknown>;

export interface LoadVector {
  <T, N extends Length>(array: DeviceArray<T>, index: number, count: N): Lists<T>[N];
  <T, N extends Length>(array: DeviceArray<T, 2>, index: readonly [number, number], count: N): Lists<T>[N];
  <T, N extends Length>(
    array: DeviceArray<T, 3> | DeviceArray<T, 4>,
    index: readonly number[],
    count: N
  ): Lists<T>[N];
}

export interface StoreVector {
  <T>(array: DeviceArray<T>, index: number, values: Lists<T>[Length]): void;
  <T>(array: DeviceArray<T, 2>, index: readonly [number, number], values: Lists<T>[Length]): void;
  <T>(array: DeviceArray<T, 3> | DeviceArray<T, 4>, index: readonly number[], values: Lists<T>[Length]): void;
}

export const vectors = {
  /**
   * Reads 2, 4, 8 or 16 elements from the index on with one instruction, at most 16 bytes, and returns them as a list. They lie on the last
   * axis of an argument or of shared memory. Their address must be a multiple of their bytes together: another one is a fault.
   * @example const [a, b, c, d] = cuda.loadVector(x, 4 * i, 4);
   */
  loadVector: deviceFunction<LoadVector>('loadVector', load),
  /**
   * Writes a list of 2, 4, 8 or 16 values from the index on with one instruction, at most 16 bytes. They lie on the last axis of an
   * argument or of shared memory. Their address must be a multiple of their bytes together: another one is a fault.
   * @example cuda.storeVector(out, 4 * i, [a, b, c, d]);
   */
  storeVector: deviceFunction<StoreVector>('storeVector', store)
} as const;
