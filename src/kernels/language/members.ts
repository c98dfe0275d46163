/** Fields of objects, elements and lengths of arrays, properties of captured values. */

import type { Expression } from '../program/program.ts';
import { ELEMENTS } from '../program/types.ts';
import { OUTSIDE_HINT, bindHost, bindValue } from './host-values.ts';
import { Unknowable, readBinding, type Lowering } from './lowering.ts';
import { scalar, weakNumber } from './numbers.ts';
import { specialOf } from './specials.ts';
import { suggestMember } from './suggestions.ts';
import type { ArrayValue, HostValue, Node, Value } from './values.ts';

/** Lowers `object.name`. */
export function memberOf(lowering: Lowering, object: Value, name: string, node: Node): Value {
  switch (object.kind) {
    case 'array':
      return arrayMember(lowering, object, name, node);
    case 'object': {
      if (object.list && name === 'length') return weakNumber(object.fields.size, lowering.place(node));
      const field = object.fields.get(name);
      if (field !== undefined) return readBinding(field, lowering.place(node));
      if (object.list) return refuseOfList(lowering, name, object.fields.size, node);
      const known = [...object.fields.keys()].join(', ');
      return lowering.fail(`there is no field '${name}'; the object has ${known || 'none'}`, node);
    }
    case 'host':
      return hostMember(lowering, object, name, node);
    case 'unknown':
      throw new Unknowable();
    default:
      return lowering.fail(`.${name} does not work here`, node);
  }
}

function refuseOfList(lowering: Lowering, name: string, length: number, node: Node): never {
  if (/^\d+$/.test(name))
    return lowering.fail(`the list has no element ${name}; its length is ${length}`, node);
  return lowering.fail(
    `a list in a kernel has no '${name}'; it has length`,
    node,
    'write a loop; for an array that changes, use cuda.local(type, length)'
  );
}

function hostMember(lowering: Lowering, object: HostValue, name: string, node: Node): Value {
  const special = specialOf(object.value, name, lowering.place(node));
  if (special !== undefined) return special;
  const whole = `${object.name}.${name}`;
  if (object.value === null || (typeof object.value !== 'object' && typeof object.value !== 'function'))
    return lowering.fail(`${whole} does not work in kernels`, node, OUTSIDE_HINT);
  if (!(name in object.value)) {
    if (Array.isArray(object.value)) return lowering.fail(`${object.name} has no element ${name}`, node);
    const names = Object.getOwnPropertyNames(object.value);
    return lowering.fail(`${whole} is not defined`, node, suggestMember(object.name, name, names));
  }
  const read = (): unknown => (object.value as Readonly<Record<string, unknown>>)[name];
  // A property of a frozen object never changes, so launches need not read it again.
  const binding = Object.isFrozen(object.value)
    ? bindValue(lowering, read(), read, whole, node)
    : bindHost(lowering, read, whole, node);
  return readBinding(binding, lowering.place(node));
}

function extent(lowering: Lowering, array: ArrayValue, axis: number, node: Node): Value {
  const { reference, wide } = array;
  const place = lowering.place(node);
  const memory = reference.from === 'memory' ? lowering.memories[reference.index]! : undefined;
  const table = reference.from === 'table' ? lowering.tables[reference.index]! : undefined;
  const known = memory?.dynamic === true ? undefined : (memory ?? table)?.shape[axis];
  if (known !== undefined) return weakNumber(known, place);
  return scalar({ kind: 'extent', array: reference, axis, type: wide ? 'i64' : 'i32', place });
}

function arrayMember(lowering: Lowering, array: ArrayValue, name: string, node: Node): Value {
  const left = array.rank - array.index.length;
  const axes = Array.from({ length: left }, (_, axis) =>
    extent(lowering, array, array.index.length + axis, node)
  );
  if (name === 'length') return axes[0]!;
  if (name === 'shape')
    return { kind: 'object', list: true, fields: new Map(axes.map((each, axis) => [String(axis), each])) };
  if (name === 'size') {
    const factors = axes.map(each => (each as { expression: Expression }).expression);
    const type = array.wide ? 'i64' : 'i32';
    const place = lowering.place(node);
    return scalar(
      factors.reduce((left, right) => ({ kind: 'binary', operation: 'multiply', left, right, type, place }))
    );
  }
  return lowering.fail(`arrays in kernels have no '${name}'; they have length, shape and size`, node);
}

/** Lowers `array[index]`: an element, or the array behind the index. */
export function elementOf(lowering: Lowering, array: ArrayValue, index: Expression, node: Node): Value {
  const whole = [...array.index, index];
  if (whole.length < array.rank) return { ...array, index: whole };
  const { value: type } = ELEMENTS[array.element];
  return scalar({ kind: 'load', array: array.reference, index: whole, type, place: lowering.place(node) });
}
