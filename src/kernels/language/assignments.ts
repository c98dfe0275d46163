/** Declarations, assignments and what they infer of a variable's type. */

import type * as acorn from 'acorn';
import type { Expression } from '../program/program.ts';
import { ELEMENTS, isComplex, isFloat, isWide, type ValueType } from '../program/types.ts';
import { withoutTypes } from '../source/nodes.ts';
import { annotationOf } from './annotations.ts';
import { operate, toIndex } from './arithmetic.ts';
import { memberOf } from './members.ts';
import { Unknowable, readBinding, requireScalar, type Inferred, type Lowering } from './lowering.ts';
import { complexOf, convert, isLength, refusal, weakNumber } from './numbers.ts';
import { refuseElement, requireRank } from './requirements.ts';
import {
  VOID,
  type Annotation,
  type ArrayValue,
  type Binding,
  type Node,
  type ObjectValue,
  type Scalar,
  type Value,
  type VariableBinding
} from './values.ts';

/** Converts a value to a settled type, or fails. `storing` allows what typed arrays do. */
export function coerce(
  lowering: Lowering,
  value: Value,
  type: ValueType,
  node: Node,
  storing = false
): Expression {
  const given = requireScalar(lowering, value, node);
  const refused = refusal(given, type, storing);
  return refused === undefined ? convert(given, type) : lowering.fail(refused, node);
}

/**
 * Declares a variable for a scalar, or a binding with a variable for each new field of an object. As in JavaScript, a name for an object that
 * exists shares its variables, unless it is a copy.
 */
export function declareValue(
  lowering: Lowering,
  name: string,
  value: Value,
  options: {
    readonly constant: boolean;
    readonly annotation: Annotation | undefined;
    readonly key: string;
    /** Whether it outlives the object, and so holds a copy. */
    readonly copies?: boolean;
  },
  node: Node
): Binding {
  const { constant, annotation, key } = options;
  if (value.kind === 'object') {
    const fields = annotation?.kind === 'object' ? annotation.fields : undefined;
    const { aliases } = lowering;
    const copies = options.copies === true || aliases.copies(key);
    const made = [...value.fields].map(([field, each]): [string, Binding] => {
      const annotated = fields?.get(field);
      if (!copies && each.kind === 'variable' && fits(each, annotated)) {
        aliases.share(each.variable, key);
        return [field, each];
      }
      // A field that is an array never changes.
      const inner = {
        constant: each.kind === 'array',
        copies,
        annotation: annotated,
        key: `${key}.${field}`
      };
      const read = readBinding(each, lowering.place(node));
      const own = declareValue(lowering, `${name}_${field}`, read, inner, node);
      if (own.kind === 'variable') aliases.declare(own.variable);
      if (own.kind === 'variable' && each.kind === 'variable') aliases.pair(each.variable, own.variable);
      return [field, own];
    });
    return { kind: 'object', list: value.list, fields: new Map(made), constant, key };
  }
  if (value.kind !== 'scalar') {
    if (value.kind === 'void') return lowering.fail('the call has no result', node);
    if (value.kind === 'array' && !constant)
      return lowering.fail('a name of an array never changes', node, 'write const');
    if (value.kind === 'array')
      return named(lowering, name, {
        ...value,
        index: value.index.map(each => lowering.keepUnlessStable(each))
      });
    // As in JavaScript, a function without a name gets that of its variable.
    return value.kind === 'function' ? { ...value, name: value.name || name } : value;
  }
  return declareScalar(lowering, name, value, options, node);
}

/** Returns true if a field has the annotated type. */
function fits({ variable }: VariableBinding, annotation: Annotation | undefined): boolean {
  if (annotation === undefined || annotation.kind === 'open') return true;
  return (
    annotation.kind === 'scalar' &&
    annotation.element === annotation.type &&
    annotation.type === variable.type
  );
}

/** Gives an array in shared or local memory the name of its variable, for messages and emitted text. */
function named(lowering: Lowering, name: string, value: ArrayValue): ArrayValue {
  const { from, index } = value.reference;
  if (from !== 'memory') return value;
  const memory = lowering.memories[index]!;
  if (!/^(?:shared|local)\d+$/.test(memory.name)) return value;
  lowering.memories[index] = { ...memory, name };
  return { ...value, name };
}

function declareScalar(
  lowering: Lowering,
  name: string,
  value: Scalar,
  { constant, annotation, key }: { constant: boolean; annotation: Annotation | undefined; key: string },
  node: Node
): Binding {
  const typed = annotation?.kind === 'scalar' ? annotation : undefined;
  if (annotation !== undefined && annotation.kind !== 'open' && typed === undefined)
    return lowering.fail('a number is no array or object', node);
  const { expression } = value;
  if (constant && typed === undefined && (expression.kind === 'constant' || isWideLength(expression)))
    return value;
  const { type, weak } =
    typed === undefined ? inferredType(lowering, key, value) : { type: typed.type, weak: null };
  const variable = lowering.variable(name, type);
  let initial = coerce(lowering, value, type, node);
  if (typed !== undefined && typed.element !== typed.type && ELEMENTS[typed.element].value === type)
    initial = { kind: 'narrow', element: typed.element, operand: initial, type, place: initial.place };
  lowering.emit({ kind: 'declare', variable, value: initial, place: lowering.place(node) });
  return { kind: 'variable', variable, weak, typed: typed !== undefined, constant, key };
}

/** The length of a wide array stays one under a name, so that it meets numbers of 32 bits. */
const isWideLength = (expression: Expression): boolean => expression.type === 'i64' && isLength(expression);

/** Returns the type of a variable without an annotation: what it holds at first, grown to what it was seen to hold later. */
function inferredType(lowering: Lowering, key: string, value: Scalar): Inferred {
  const known = lowering.typeFor(key, { type: value.expression.type, weak: value.weak });
  const grown = grow(known, value);
  if (grown !== undefined) lowering.grow(key, grown);
  return grown ?? known;
}

/** Assigns to a variable, whose type grows if it was inferred and the value needs it. */
export function assignTo(lowering: Lowering, binding: Binding, value: Value, node: Node): void {
  if (value.kind === 'unknown' || binding.kind === 'unknown') throw new Unknowable();
  if (binding.kind === 'object') {
    if (value.kind !== 'object') return lowering.fail('expected an object with the same fields', node);
    // The new values may depend on the old ones.
    const given = lowering.settled(value, lowering.place(node)) as ObjectValue;
    for (const [name, field] of binding.fields) {
      const part = given.fields.get(name);
      if (part === undefined) return lowering.fail(`the object has no field '${name}'`, node);
      assignTo(lowering, field, readBinding(part, lowering.place(node)), node);
    }
    return;
  }
  if (binding.kind !== 'variable')
    return lowering.fail('this cannot be assigned in a kernel', node, 'declare it with let');
  const given = requireScalar(lowering, value, node);
  const { variable, typed, key, weak } = binding;
  // An assignment before this one may have let it grow already.
  const present = typed ? undefined : (lowering.inferred.get(key) ?? { type: variable.type, weak });
  const grown = present === undefined ? undefined : grow(present, given);
  if (grown !== undefined) {
    lowering.grow(key, grown);
    return;
  }
  const place = lowering.place(node);
  lowering.emit({ kind: 'assign', variable, value: coerce(lowering, given, variable.type, node), place });
}

/** Returns the type that an inferred variable has to grow to; undefined if it holds the value as it is. */
function grow({ type: own, weak }: Inferred, value: Scalar): Inferred | undefined {
  const { type } = value.expression;
  if (own === 'bool' || type === 'bool') return undefined;
  if (type === own) return weak !== null && value.weak === null ? { type, weak: null } : undefined;
  if (isWide(own) !== isWide(type)) return undefined;
  if (value.weak === 'int') return undefined;
  if (isComplex(own) || isComplex(type)) {
    const grown = value.weak === null ? complexOf(own, type) : own;
    return grown === own ? undefined : { type: grown, weak: null };
  }
  if (weak === 'int') return { type, weak: value.weak };
  if (isFloat(own) && type === 'f64' && value.weak === null) return { type, weak: null };
  return weak === 'float' && isFloat(type) && value.weak === null ? { type, weak: null } : undefined;
}

/** Lowers `let` and `const`. */
export function lowerDeclaration(lowering: Lowering, node: acorn.VariableDeclaration): void {
  if (node.kind !== 'const' && node.kind !== 'let')
    lowering.fail(`'${node.kind}' does not work in kernels`, node, 'write const or let');
  const constant = node.kind === 'const';
  for (const { id, init } of node.declarations) {
    if (id.type === 'Identifier') {
      const annotation = annotationOf(lowering.frame.source, id);
      const value = !init ? startOf(lowering, annotation, id) : lowering.parts.expression(init);
      const key = `${lowering.frame.path}:${id.start}`;
      lowering.scope.declare(
        id.name,
        declareValue(lowering, id.name, value, { constant, annotation, key }, init ?? id)
      );
    } else destructure(lowering, id, lowering.parts.expression(init!), constant);
  }
}

/** Returns the value of a variable that is declared without one: zero. */
function startOf(lowering: Lowering, annotation: Annotation | undefined, node: Node): Value {
  if (annotation?.kind !== 'scalar')
    return lowering.fail('a variable needs a value or a type', node, 'write let x = 0 or let x: f32');
  return weakNumber(
    annotation.type === 'bool' ? false : isWide(annotation.type) ? 0n : 0,
    lowering.place(node)
  );
}

function destructure(lowering: Lowering, pattern: acorn.Pattern, value: Value, constant: boolean): void {
  const declare = (id: acorn.Pattern, field: string): void => {
    if (id.type !== 'Identifier') return lowering.fail('a pattern in a kernel has plain names', id);
    const key = `${lowering.frame.path}:${id.start}`;
    const read = memberOf(lowering, value, field, id);
    lowering.scope.declare(
      id.name,
      declareValue(lowering, id.name, read, { constant, annotation: undefined, key }, id)
    );
  };
  for (const [target, field] of partsOf(lowering, pattern, value)) declare(target, field);
}

/** Returns what a pattern takes from a value: each target with the name of its field. */
function partsOf(lowering: Lowering, pattern: acorn.Pattern, value: Value): [acorn.Pattern, string][] {
  if (value.kind === 'unknown') throw new Unknowable();
  if (value.kind !== 'object' && value.kind !== 'host')
    return lowering.fail('only objects and lists can be taken apart', pattern);
  if (pattern.type === 'ArrayPattern')
    return pattern.elements.flatMap((each, index): [acorn.Pattern, string][] =>
      each === null ? [] : [[each, String(index)]]
    );
  if (pattern.type !== 'ObjectPattern') return [];
  return pattern.properties.map(each =>
    each.type === 'Property' && each.key.type === 'Identifier'
      ? [each.value, each.key.name]
      : lowering.fail('a pattern in a kernel has plain names', each)
  );
}

/** Lowers `[a, b] = [b, a]`: all values are read before the first is written. */
function assignParts(lowering: Lowering, pattern: acorn.Pattern, right: Node): Value {
  const given = lowering.settled(lowering.parts.expression(right));
  for (const [target, field] of partsOf(lowering, pattern, given)) {
    const place = placeOf(lowering, target);
    write(lowering, place, memberOf(lowering, given, field, target), false, target);
  }
  return given;
}

/** Where an assignment goes. */
type Place =
  | { readonly kind: 'binding'; readonly binding: Binding }
  | { readonly kind: 'element'; readonly array: ArrayValue; readonly index: readonly Expression[] };

/** Lowers `target = value` and `target += value`. `used` tells whether its value is needed: that of the right side. */
export function lowerAssignment(lowering: Lowering, node: acorn.AssignmentExpression, used: boolean): Value {
  if (node.left.type === 'ArrayPattern' || node.left.type === 'ObjectPattern')
    return assignParts(lowering, node.left, node.right);
  const place = placeOf(lowering, node.left);
  const operator = node.operator.slice(0, -1);
  if (['&&', '||', '??'].includes(operator))
    return lowering.fail(`'${node.operator}' does not work in kernels`, node);
  let old = operator === '' ? undefined : readPlace(lowering, place, node);
  const before = lowering.out.length;
  const value = lowering.parts.expression(node.right);
  const later = lowering.out.splice(before);
  const settle =
    later.length > 0 ? (each: Expression) => lowering.keepUnlessStable(each) : (each: Expression) => each;
  const settled = place.kind === 'element' ? { ...place, index: place.index.map(settle) } : place;
  if (old?.kind === 'scalar') old = { ...old, expression: settle(old.expression) };
  lowering.out.push(...later);
  return write(
    lowering,
    settled,
    old === undefined ? value : operate(lowering, operator, old, value, node),
    used,
    node
  );
}

function readPlace(lowering: Lowering, place: Place, node: Node): Value {
  if (place.kind === 'binding') return readBinding(place.binding, lowering.place(node));
  const { array, index } = place;
  const { value: type } = ELEMENTS[array.element];
  return {
    kind: 'scalar',
    expression: { kind: 'load', array: array.reference, index, type, place: lowering.place(node) },
    weak: null
  };
}

function placeOf(lowering: Lowering, target: Node): Place {
  // TypeScript may want `x[i]! += 1`.
  const node = withoutTypes(target);
  if (node.type === 'Identifier') return { kind: 'binding', binding: bindingOf(lowering, node) };
  if (node.type !== 'MemberExpression') return lowering.fail('this cannot be assigned in a kernel', node);
  if (!node.computed) {
    const object = lowering.parts.expression(node.object);
    return {
      kind: 'binding',
      binding: fieldOf(lowering, object, (node.property as acorn.Identifier).name, node)
    };
  }
  const [object, index] = lowering.inOrder([node.object, node.property]) as [Value, Value];
  if (object.kind === 'object') {
    const known =
      index.kind === 'scalar' && index.expression.kind === 'constant' ? index.expression.value : '?';
    return { kind: 'binding', binding: fieldOf(lowering, object, String(known), node) };
  }
  if (object.kind === 'unknown') throw new Unknowable();
  if (object.kind === 'scalar') return refuseElement(lowering, node);
  if (object.kind !== 'array') return lowering.fail('this cannot be assigned in a kernel', node);
  const whole = [...object.index, toIndex(lowering, index, node.property)];
  return { kind: 'element', array: object, index: requireRank(lowering, object, whole, node) };
}

function bindingOf(lowering: Lowering, node: acorn.Identifier): Binding {
  const binding = lowering.scope.find(node.name, node);
  if (binding === undefined)
    return lowering.fail(`${node.name} is not defined`, node, lowering.frame.source.hint);
  if (binding.kind === 'unknown') throw new Unknowable();
  if ((binding.kind === 'variable' || binding.kind === 'object') && binding.constant === true)
    return lowering.fail(`${node.name} is constant`, node, 'declare it with let');
  if (binding.kind === 'object') {
    // No other name shares its fields then.
    if (lowering.aliases.replace(binding, binding.key)) lowering.changed = true;
    return binding;
  }
  if (binding.kind !== 'variable')
    return lowering.fail(
      `${node.name} cannot be assigned in a kernel`,
      node,
      'captured values are read only'
    );
  return binding;
}

function fieldOf(lowering: Lowering, object: Value | ObjectValue, name: string, node: Node): Binding {
  if (object.kind === 'unknown') throw new Unknowable();
  const field = object.kind === 'object' ? object.fields.get(name) : undefined;
  if (field === undefined) return lowering.fail(`'${name}' cannot be assigned in a kernel`, node);
  if (field.kind === 'variable' && !lowering.aliases.change(field.variable))
    return lowering.fail(
      `'${name}' belongs to an object that was assigned to another name: JavaScript would change it under both`,
      node,
      'change it before the assignment, or assign a new object: { field: other.field }'
    );
  if (field.kind === 'object' && !lowering.aliases.replaceField(field))
    return lowering.fail(
      `'${name}' stands for an object that has other names too, and cannot be replaced`,
      node,
      'assign its fields'
    );
  return field;
}

/** Writes to a place and returns its new value, which later writes must not change if it is used. */
function write(lowering: Lowering, place: Place, value: Value, used: boolean, node: Node): Value {
  if (place.kind === 'binding') {
    if (!lowering.aliases.assign(place.binding, value))
      return lowering.fail(
        'the object gets another name here, and a field of one of both changes in the next round: JavaScript would change it under both names',
        node,
        'assign a new object: { field: other.field }'
      );
    assignTo(lowering, place.binding, value, node);
    return readBinding(place.binding, lowering.place(node));
  }
  const { array, index } = place;
  const kept = used ? lowering.settled(value) : value;
  storeElement(lowering, array, index, kept, node);
  return kept;
}

function storeElement(
  lowering: Lowering,
  array: ArrayValue,
  index: readonly Expression[],
  value: Value,
  node: Node
): void {
  noteWrite(lowering, array, node);
  const stored = coerce(lowering, value, ELEMENTS[array.element].value, node, true);
  lowering.emit({ kind: 'store', array: array.reference, index, value: stored, place: lowering.place(node) });
}

/** Notes that an array is written, or fails if it must not be. */
export function noteWrite(lowering: Lowering, array: ArrayValue, node: Node): void {
  if (array.readOnly) lowering.fail(`${array.name} is read only`, node, readOnlyHint(lowering, array));
  if (array.reference.from === 'parameter') lowering.written.add(array.reference.index);
}

/** What helps against an array that must not be written. */
function readOnlyHint(lowering: Lowering, { reference }: ArrayValue): string {
  if (reference.from === 'table')
    return 'a captured list is constant: use cuda.local, or pass an array to the launch';
  const parameter = reference.from === 'parameter' ? lowering.parameters[reference.index]! : undefined;
  return parameter?.kind === 'array' && parameter.readOnly && !parameter.restrict
    ? 'the array of the launch is read only, as those of broadcastTo are: pass array.copy()'
    : 'declare the parameter without Readonly to write to it';
}

/** Lowers `x++` and its like. `used` tells whether the value before (or after) is needed. */
export function lowerUpdate(lowering: Lowering, node: acorn.UpdateExpression, used: boolean): Value {
  const place = placeOf(lowering, node.argument);
  const old = requireScalar(lowering, readPlace(lowering, place, node), node);
  const one = weakNumber(isWide(old.expression.type) ? 1n : 1, lowering.place(node));
  const before: Value = used && !node.prefix ? { ...old, expression: lowering.keep(old.expression) } : old;
  const after = write(lowering, place, operate(lowering, node.operator[0]!, before, one, node), used, node);
  return used ? (node.prefix ? after : before) : VOID;
}
