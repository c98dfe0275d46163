/** Types in the source of a kernel: `f32`, `DeviceArray<f32, 2>`, `Readonly<…>`, `{ x: f32 }`, and names for them. Pure. */

import { ELEMENTS, ELEMENT_TYPES, isComplex, type ElementType } from '../program/types.ts';
import type { SourceText, Spot } from './source-text.ts';
import type { Annotation } from './values.ts';

/** A node of a type. acorn's types have none for TypeScript's syntax. */
interface TypeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly typeAnnotation?: TypeNode;
  readonly elementType?: TypeNode;
  readonly operator?: string;
  readonly typeName?: { readonly name?: string };
  readonly typeArguments?: { readonly params: readonly TypeNode[] };
  readonly typeParameters?: { readonly params: readonly TypeNode[] };
  readonly literal?: { readonly value?: unknown };
  readonly members?: readonly (TypeNode & { readonly key?: { readonly name?: string } })[];
  readonly elementTypes?: readonly TypeNode[];
  /** Of an interface. */
  readonly body?: { readonly body: NonNullable<TypeNode['members']> };
  readonly extends?: readonly (TypeNode & { readonly expression: { readonly name?: string } })[];
}

/** Where a type is read. */
interface Reading {
  readonly source: SourceText;
  /** The annotation that named a type of another text; null for the function's own text. */
  readonly named: TypeNode | null;
  /** The declared types around, by name. */
  readonly around: readonly string[];
}

const OPEN: Annotation = { kind: 'open' };
/** Types with a name: 8-bit floats have none. */
const NAMES: readonly string[] = [...ELEMENT_TYPES, 'c64', 'c128'];
const KNOWN = `${NAMES.filter(name => name !== 'bool').join(', ')}, boolean, DeviceArray<type, rank>, { field: type }, [type, type], and types and interfaces of these that the same cell or file declares`;
const LIST_HINT = 'write DeviceArray<f32> for an array, or [f32, f32] for a list of two numbers';

/** Returns the type that a name is declared with; undefined without an annotation. */
export function annotationOf(source: SourceText, declared: object): Annotation | undefined {
  const { typeAnnotation } = declared as { readonly typeAnnotation?: TypeNode };
  return typeAnnotation?.typeAnnotation === undefined
    ? undefined
    : read({ source, named: null, around: [] }, typeAnnotation.typeAnnotation);
}

/** Throws the error of a type; in another text, that of the annotation that named the type there. */
function fail({ source, named, around }: Reading, message: string, node: Spot, hint = ''): never {
  const told = around.length === 0 ? message : `in the type '${around.at(-1)!}': ${message}`;
  throw source.error(told, named ?? node, hint);
}

function read(reading: Reading, node: TypeNode): Annotation {
  switch (node.type) {
    case 'TSBooleanKeyword':
      return { kind: 'scalar', type: 'bool', element: 'bool' };
    case 'TSNumberKeyword':
    case 'TSBigIntKeyword':
    case 'TSAnyKeyword':
    case 'TSUnknownKeyword':
    // What a function takes and returns is checked where it is called.
    case 'TSFunctionType':
      return OPEN;
    case 'TSTypeLiteral':
      return { kind: 'object', fields: new Map(fieldsOf(reading, node.members ?? [])) };
    case 'TSTupleType':
      return {
        kind: 'object',
        fields: new Map((node.elementTypes ?? []).map((each, index) => [String(index), read(reading, each)]))
      };
    case 'TSNamedTupleMember':
      return read(reading, node.elementType!);
    case 'TSParenthesizedType':
      return read(reading, node.typeAnnotation!);
    case 'TSTypeOperator':
      if (node.operator === 'readonly') return read(reading, node.typeAnnotation!);
      break;
    case 'TSTypeReference':
      return reference(reading, node);
    case 'TSArrayType':
      return fail(reading, 'a list type does not work in kernels', node, LIST_HINT);
  }
  return fail(reading, 'this type does not work in kernels', node, `kernels know ${KNOWN}`);
}

function fieldsOf(reading: Reading, members: NonNullable<TypeNode['members']>): [string, Annotation][] {
  return members.map(member => {
    const name = member.key?.name;
    const isField = member.type === 'TSPropertySignature' && name !== undefined;
    if (!isField || member.typeAnnotation?.typeAnnotation === undefined)
      return fail(reading, 'an object type in a kernel has plain fields: { name: type }', member);
    return [name, read(reading, member.typeAnnotation.typeAnnotation)];
  });
}

function reference(reading: Reading, node: TypeNode): Annotation {
  const name = node.typeName?.name ?? '';
  const given = (node.typeArguments ?? node.typeParameters)?.params ?? [];
  if (NAMES.includes(name)) {
    const element = name as ElementType;
    return { kind: 'scalar', type: ELEMENTS[element].value, element };
  }
  if (name === 'Readonly' && given.length === 1) {
    const inner = read(reading, given[0]!);
    return inner.kind === 'array' ? { ...inner, readOnly: true } : inner;
  }
  if (name === 'DeviceArray') return arrayType(reading, node, given);
  return declaredType(reading, name, node);
}

/** Reads the alias or interface that a name stands for. */
function declaredType(reading: Reading, name: string, node: TypeNode): Annotation {
  const { source, named, around } = reading;
  // A type of another text sees no types of the function.
  const found = source.declaredType(name, named === null ? node.start : -1);
  if (found === undefined)
    return fail(
      reading,
      `the type '${name}' is unknown to kernels`,
      node,
      /Array$/.test(name)
        ? LIST_HINT
        : `declare it in the same cell or file, or write it out; kernels know ${KNOWN}`
    );
  if (around.includes(name)) return fail(reading, `the type '${name}' contains itself`, node);
  const declared = found.node as unknown as TypeNode;
  if (declared.typeParameters !== undefined)
    return fail(reading, `the type '${name}' has parameters`, node, 'declare it for the types that you use');
  const inner = { source, named: found.inside ? named : (named ?? node), around: [...around, name] };
  if (declared.body === undefined) return read(inner, declared.typeAnnotation!);
  const bases = (declared.extends ?? []).map(base => {
    const read = declaredType(inner, base.expression.name ?? '', base);
    return read.kind === 'object' ? read : fail(inner, 'an interface extends interfaces only', base);
  });
  const fields = [...bases.flatMap(base => [...base.fields]), ...fieldsOf(inner, declared.body.body)];
  return { kind: 'object', fields: new Map(fields) };
}

function arrayType(reading: Reading, node: TypeNode, given: readonly TypeNode[]): Annotation {
  const inner = given[0] === undefined ? OPEN : read(reading, given[0]);
  if (inner.kind !== 'scalar' && inner.kind !== 'open')
    return fail(reading, 'an array holds numbers', node, 'write DeviceArray<f32> or DeviceArray<f32, 2>');
  if (inner.kind === 'scalar' && isComplex(inner.element))
    return fail(
      reading,
      `a kernel has no arrays of complex numbers (${inner.element})`,
      node,
      'use cuda.map, or pass the real and the imaginary parts as two arrays'
    );
  const rank = given[1] === undefined ? 1 : given[1].literal?.value;
  if (typeof rank !== 'number' || ![1, 2, 3, 4].includes(rank))
    return fail(reading, 'the rank of an array is 1, 2, 3 or 4', node, 'write DeviceArray<f32, 2>');
  return { kind: 'array', element: inner.kind === 'scalar' ? inner.element : null, rank, readOnly: false };
}
