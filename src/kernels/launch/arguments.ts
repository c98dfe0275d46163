/** The arguments of a launch: their types for the compiler, and their bytes for the device. */

import { NDArray } from '../../array/array.ts';
import { headline } from '../../array/headline.ts';
import { ArgumentError } from '../../base/errors.ts';
import { textOf } from '../../base/value-text.ts';
import { TypedValue } from '../../jit/typed-value.ts';
import { ELEMENTS, ELEMENT_TYPES, type ElementType, type ValueType } from '../program/types.ts';
import type { ArgumentType } from '../language/lower.ts';

/** A value that a kernel takes: an array, a number, or an object of them. Objects with `__cuda_array_interface__` are arrays. */
export type KernelArgument = NDArray | TypedValue | number | bigint | boolean | object;

const elements = new Map<string, ElementType>(
  Object.entries(ELEMENTS).map(([element, { dtype }]) => [dtype, element as ElementType])
);

/** Arrays that span this many elements need 64-bit addresses. */
const WIDE = 2 ** 31;

/** Objects of arguments nest no deeper: one that does is part of itself. */
export const MOST_DEPTH = 16;

/** Returns true if the elements lie one behind the other, in row-major order. */
export const isContiguous = (array: NDArray): boolean => array.exportedStrides === null || array.size <= 1;

/** Returns true if 32-bit arithmetic cannot reach all elements. */
export function isWideArray(array: NDArray): boolean {
  if (array.size >= WIDE) return true;
  if (array.exportedStrides === null) return false;
  const { itemsize } = array.dtype;
  const span = array.shape.reduce(
    (sum, length, axis) => sum + (length - 1) * Math.abs(array.strides[axis]! / itemsize),
    0
  );
  return span >= WIDE;
}

/** Returns what the compiler needs to know of an argument. `where` names it in messages. @throws ArgumentError */
export function argumentType(value: unknown, where: string, depth = 0): ArgumentType {
  if (value instanceof NDArray) return arrayType(value as NDArray, where);
  if (value instanceof TypedValue) return { kind: 'scalar', type: typedValueType(value, where) };
  if (typeof value === 'boolean') return { kind: 'scalar', type: 'bool' };
  if (typeof value === 'number' || typeof value === 'bigint') return { kind: 'scalar', type: null };
  if (typeof value === 'object' && value !== null) {
    if (depth === MOST_DEPTH)
      throw new ArgumentError(`${where}: objects in arguments nest at most ${MOST_DEPTH} deep`);
    const fields = Object.entries(value).map(([name, each]): [string, ArgumentType] => [
      name,
      argumentType(each, `${where}.${name}`, depth + 1)
    ]);
    return { kind: 'object', fields: new Map(fields) };
  }
  throw new ArgumentError(
    `${where} is ${textOf(value)}: expected an array, a number, a bigint, a boolean or an object of them`
  );
}

/** Returns the type of a typed value. @throws ArgumentError for one that kernels do not take by value */
export function typedValueType({ type }: TypedValue, where: string): ValueType {
  const name = `${type.kind === 'uint' ? 'u' : type.kind[0]!}${type.bytes * 8}`;
  if (['i32', 'u32', 'i64', 'u64', 'f32', 'f64'].includes(name)) return name as ValueType;
  throw new ArgumentError(`${where} has the type ${name}: a kernel takes 32 and 64-bit numbers by value`);
}

/** Returns the type of an array's elements, one of `among`, by default those of kernels. @throws ArgumentError for another dtype */
export function elementOfArray(
  array: NDArray,
  where: string,
  among: readonly ElementType[] = ELEMENT_TYPES
): ElementType {
  const element = elements.get(array.dtype.name);
  if (element !== undefined && among.includes(element)) return element;
  const what = among === ELEMENT_TYPES ? 'kernels in TypeScript work' : 'cuda.map works';
  throw new ArgumentError(
    `${where} (${headline(array)}): ${what} on ${among.map(each => ELEMENTS[each].dtype).join(', ')}`
  );
}

function arrayType(array: NDArray, where: string): ArgumentType {
  const element = elementOfArray(array, where);
  const told = `${where} (${headline(array)})`;
  if (array.ndim < 1 || array.ndim > 4)
    throw new ArgumentError(`${told}: kernels take arrays with 1 to 4 axes; pass array.reshape(…)`);
  if (array.mask !== null)
    throw new ArgumentError(
      `${told}: the array has a mask; pass array.withMask(null), and the mask as another argument`
    );
  if (!array.isAligned) throw new ArgumentError(`${told}: the elements are not aligned; pass array.copy()`);
  return {
    kind: 'array',
    element,
    rank: array.ndim,
    contiguous: isContiguous(array),
    wide: isWideArray(array),
    readOnly: array.readOnly
  };
}

const RANGES: Partial<Readonly<Record<ValueType, readonly [number, number]>>> = {
  i32: [-(2 ** 31), 2 ** 31 - 1],
  u32: [0, 2 ** 32 - 1]
};

/** Writes a number as a value of a type. @throws ArgumentError for a value of another kind or outside the type's range */
export function writeScalar(
  view: DataView,
  offset: number,
  type: ValueType,
  given: unknown,
  where: () => string
): void {
  const value = given instanceof TypedValue ? given.value : given;
  const fail = (expected: string): never => {
    throw new ArgumentError(`${where()} is ${textOf(value)}: expected ${expected}`);
  };
  switch (type) {
    case 'bool':
      return view.setUint8(offset, typeof value === 'boolean' ? Number(value) : fail('a boolean'));
    case 'f32':
      return view.setFloat32(offset, typeof value === 'number' ? value : fail('a number'), true);
    case 'f64':
      return view.setFloat64(offset, typeof value === 'number' ? value : fail('a number'), true);
    case 'i64':
    case 'u64': {
      const wide = typeof value === 'bigint' ? value : fail(`a bigint, such as 1n (${type})`);
      const held = type === 'i64' ? BigInt.asIntN(64, wide) : BigInt.asUintN(64, wide);
      return view.setBigInt64(
        offset,
        held === wide ? BigInt.asIntN(64, wide) : fail(`a value of ${type}`),
        true
      );
    }
    default: {
      const [least, most] = RANGES[type]!;
      const whole =
        typeof value === 'number' && Number.isInteger(value) ? value : fail(`a whole number (${type})`);
      if (whole < least || whole > most) fail(`${least} to ${most} (${type})`);
      return view.setInt32(offset, whole | 0, true);
    }
  }
}
