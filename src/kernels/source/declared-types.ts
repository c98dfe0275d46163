/** Types that a text declares: a kernel needs those that its annotations name. Pure. */

import type { AnyNode } from 'acorn';
import { walk } from './nodes.ts';

/** A declaration of an alias or interface. */
export interface DeclaredType {
  readonly name: string;
  readonly node: AnyNode;
  /** The block, body or file that has the declaration. */
  readonly block: { readonly start: number; readonly end: number };
}

/** Returns the types that a tree declares. Of those with one name, the ones of inner blocks come last. */
export function declaredTypes(root: AnyNode): DeclaredType[] {
  const found: DeclaredType[] = [];
  const blocks: AnyNode[] = [];
  walk(root, node => {
    if (node.type === 'Program' || node.type === 'BlockStatement') blocks.push(node);
    const type: string = node.type;
    if (type !== 'TSTypeAliasDeclaration' && type !== 'TSInterfaceDeclaration') return;
    const block = blocks.findLast(({ start, end }) => start <= node.start && node.end <= end) ?? root;
    found.push({
      name: (node as unknown as { readonly id: { readonly name: string } }).id.name,
      node,
      block
    });
  });
  const size = ({ block }: DeclaredType): number => block.end - block.start;
  return found.sort((one, other) => size(other) - size(one));
}

/** Returns the declaration of each name that is in sight at an offset. */
export function typesInSight(
  types: readonly DeclaredType[],
  offset: number
): ReadonlyMap<string, DeclaredType> {
  const inSight = types.filter(({ block }) => block.start <= offset && offset < block.end);
  return new Map(inSight.map(each => [each.name, each]));
}

const words = (text: string): readonly string[] => text.match(/\w+/g) ?? [];

/** Returns the texts of the types in sight of a function that its text names, and of those that these name. */
export function typesOf(
  types: readonly DeclaredType[],
  { start, end }: { readonly start: number; readonly end: number },
  text: string
): ReadonlyMap<string, string> {
  const inSight = typesInSight(types, start);
  const found = new Map<string, string>();
  const add = (named: string): void => {
    for (const name of words(named)) {
      const declared = inSight.get(name);
      if (declared === undefined || found.has(name)) continue;
      const own = text.slice(declared.node.start, declared.node.end);
      found.set(name, own);
      add(own);
    }
  };
  add(text.slice(start, end));
  return found;
}
