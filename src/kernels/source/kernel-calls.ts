/** Finds calls of the members of `cuda` that take a function for the device. Pure. */

import type { AnyNode, CallExpression, Program } from 'acorn';
import { walk } from './nodes.ts';

/** The name under which the library exports `cuda`. */
export const CUDA: ReadonlySet<string> = new Set(['cuda']);

const MEMBERS = new Set(['kernel', 'map', 'reduce', 'scan', 'filter']);
const CALL = /\b(?:kernel|map|reduce|scan|filter)\s*(?:\?\.\s*)?[(<]/;

export interface KernelCall {
  readonly body: AnyNode;
  /** The variable that is declared with the result. */
  readonly name: string | undefined;
}

/** Returns whether a text can have such calls, by words. */
export function mayHaveKernelCalls(text: string, names = CUDA): boolean {
  return CALL.test(text) && [...names].some(name => text.includes(name));
}

/** Finds the calls. `known` are names of `cuda` besides those that the program imports. */
export function kernelCalls(program: Program, known = CUDA): KernelCall[] {
  const names = new Set([...known, ...importsOfCuda(program)]);
  const calls: KernelCall[] = [];
  walk(program, (node, parent) => {
    if (node.type !== 'CallExpression' || !isKernelCall(node, names)) return;
    const variable =
      parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier' ? parent.id.name : undefined;
    calls.push({ body: node.arguments[0]!, name: variable });
  });
  return calls;
}

/** Returns the names under which a program imports `cuda`. */
export function importsOfCuda({ body }: Program): Set<string> {
  const names = new Set<string>();
  for (const statement of body) {
    if (statement.type !== 'ImportDeclaration' || statement.source.value !== 'stridelab') continue;
    for (const item of statement.specifiers)
      if (
        item.type === 'ImportSpecifier' &&
        item.imported.type === 'Identifier' &&
        item.imported.name === 'cuda'
      )
        names.add(item.local.name);
  }
  return names;
}

function isKernelCall({ callee, arguments: given }: CallExpression, names: ReadonlySet<string>): boolean {
  if (given.length === 0 || callee.type !== 'MemberExpression' || callee.computed) return false;
  const { object, property } = callee;
  if (property.type !== 'Identifier' || !MEMBERS.has(property.name)) return false;
  if (object.type === 'Identifier') return names.has(object.name);
  // `stridelab.cuda.kernel`, of a namespace.
  return (
    object.type === 'MemberExpression' &&
    object.property.type === 'Identifier' &&
    object.property.name === 'cuda'
  );
}
