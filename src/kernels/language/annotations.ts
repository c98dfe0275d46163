/** Types in the source of a kernel: `f32`, `DeviceArray<f32, 2>`, `Readonly<…>`, `{ x: f32 }`. Pure. */

import { ELEMENTS, ELEMENT_TYPES, isComplex, type ElementType } from '../program/types.ts';
import type { SourceText } from './source-text.ts';
import type { Annotation } from './values.ts';

/** A node of a type. acorn's types have none for TypeScript's syntax. */
interface TypeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly typeAnnotation?: TypeNode;
  readonly typeName?: { readonly name?: string };
  readonly typeArguments?: { readonly params: readonly TypeNode[] };
  readonly typeParameters?: { readonly params: readonly TypeNode[] };
  readonly literal?: { readonly value?: unknown };
  readonly members?: readonly (TypeNode & { readonly key?: { readonly name?: string } })[];
  readonly elementTypes?: readonly TypeNode[];
}

const OPEN: Annotation = { kind: 'open' };
/** Types with a name: 8-bit floats have none. */
const NAMES: readonly string[] = [...ELEMENT_TYPES, 'c64', 'c128'];
const KNOWN = `${NAMES.filter(name => name !== 'bool').join(', ')}, boolean, DeviceArray<type, rank>, { field: type }`;
const LIST_HINT = 'write DeviceArray<f32> for an array, or [f32, f32] for a list of two numbers';

/** Returns the type that a name is declared with; undefined without an annotation. */
export function annotationOf(source: SourceText, declared: object): Annotation | undefined {
  const { typeAnnotation } = declared as { readonly typeAnnotation?: TypeNode };
  return typeAnnotation?.typeAnnotation === undefined
    ? undefined
    : read(source, typeAnnotation.typeAnnotation);
}

function read(source: SourceText, node: TypeNode): Annotation {
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
      return { kind: 'object', fields: new Map(fieldsOf(source, node)) };
    case 'TSTupleType':
      return {
        kind: 'object',
        fields: new Map((node.elementTypes ?? []).map((each, index) => [String(index), read(source, each)]))
      };
    case 'TSParenthesizedType':
      return read(source, node.typeAnnotation!);
    case 'TSTypeReference':
      return reference(source, node);
    case 'TSArrayType':
      throw source.error('a list type does not work in kernels', node, LIST_HINT);
    default:
      throw source.error('this type does not work in kernels', node, `kernels know ${KNOWN}`);
  }
}

function fieldsOf(source: SourceText, node: TypeNode): [string, Annotation][] {
  return (node.members ?? []).map(member => {
    const name = member.key?.name;
    if (name === undefined || member.typeAnnotation?.typeAnnotation === undefined)
      throw source.error('an object type in a kernel has plain fields: { name: type }', member);
    return [name, read(source, member.typeAnnotation.typeAnnotation)];
  });
}

function reference(source: SourceText, node: TypeNode): Annotation {
  const name = node.typeName?.name ?? '';
  const given = (node.typeArguments ?? node.typeParameters)?.params ?? [];
  if (NAMES.includes(name)) {
    const element = name as ElementType;
    return { kind: 'scalar', type: ELEMENTS[element].value, element };
  }
  if (name === 'Readonly' && given.length === 1) {
    const inner = read(source, given[0]!);
    return inner.kind === 'array' ? { ...inner, readOnly: true } : inner;
  }
  if (name === 'DeviceArray') return arrayType(source, node, given);
  const hint = /Array$/.test(name) ? LIST_HINT : `kernels know ${KNOWN}`;
  throw source.error(`the type '${name}' is unknown to kernels`, node, hint);
}

function arrayType(source: SourceText, node: TypeNode, given: readonly TypeNode[]): Annotation {
  const inner = given[0] === undefined ? OPEN : read(source, given[0]);
  if (inner.kind !== 'scalar' && inner.kind !== 'open')
    throw source.error('an array holds numbers', node, 'write DeviceArray<f32> or DeviceArray<f32, 2>');
  if (inner.kind === 'scalar' && isComplex(inner.element))
    throw source.error(
      `a kernel has no arrays of complex numbers (${inner.element})`,
      node,
      'use cuda.map, or pass the real and the imaginary parts as two arrays'
    );
  const rank = given[1] === undefined ? 1 : given[1].literal?.value;
  if (typeof rank !== 'number' || ![1, 2, 3, 4].includes(rank))
    throw source.error('the rank of an array is 1, 2, 3 or 4', node, 'write DeviceArray<f32, 2>');
  return { kind: 'array', element: inner.kind === 'scalar' ? inner.element : null, rank, readOnly: false };
}
