/** Rewrites references to names stored as properties, and assignments that JavaScript forbids. */

import type * as acorn from 'acorn';
import { analyze, type Reference, type Scope, type Variable } from 'eslint-scope';
import type { Rewriting } from './declarations.ts';
import type { NotebookNames } from './names.ts';

/** Start offsets of identifiers that need special handling when a member expression replaces them. */
export interface IdentifierPlaces {
  /** `{ x }` in a literal or a pattern. */
  readonly shorthands: Set<number>;
  /** `x()`, which must not turn into a method call. */
  readonly callees: Set<number>;
  /** `typeof x`, which must not throw for an undeclared name. */
  readonly asked: Set<number>;
  /** Replaced together with their declaration. */
  readonly replaced: Set<number>;
}

export function notePlace(places: IdentifierPlaces, node: acorn.AnyNode): void {
  if (node.type === 'Property' && node.shorthand) places.shorthands.add(node.key.start);
  else if (node.type === 'CallExpression' && node.callee.type === 'Identifier')
    places.callees.add(node.callee.start);
  else if (
    node.type === 'UnaryExpression' &&
    node.operator === 'typeof' &&
    node.argument.type === 'Identifier'
  )
    places.asked.add(node.argument.start);
}

export function topLevelScope(program: acorn.Program): Scope {
  const manager = analyze(program as never, { ecmaVersion: 2024, sourceType: 'module' });
  return manager.scopes.find(scope => scope.type === 'module')!;
}

/** Records which of the cell's names are constants; imports count as constants. */
export function noteConstants(variables: readonly Variable[], names: NotebookNames): void {
  for (const { name, defs } of variables) {
    const [definition] = defs;
    const kind =
      definition?.type === 'Variable' ? (definition.parent as { kind?: string } | null)?.kind : undefined;
    const constant = kind !== undefined && kind !== 'let' && kind !== 'var';
    names.setConstant(name, constant || definition?.type === 'ImportBinding');
  }
}

/** Rewrites references. `variables` are those of the scope that the notebook keeps. */
export function rewriteReferences(rewriting: Rewriting, scope: Scope, variables: readonly Variable[]): void {
  const declared = new Set(scope.variables.map(variable => variable.name));
  const references = new Set([
    ...variables.flatMap(variable => variable.references),
    ...scope.through.filter(({ identifier }) => !declared.has(identifier.name))
  ]);
  for (const reference of references) rewriteReference(rewriting, reference);
}

function rewriteReference({ text, names, places }: Rewriting, reference: Reference): void {
  const { name } = reference.identifier;
  const { start, end } = reference.identifier as unknown as acorn.Identifier;
  const forbidden = reference.isWrite() && reference.init !== true && names.isConstant(name);
  const gone = names.isForgotten(name);
  let place = names.target(name);
  if ((!forbidden && !gone && place === name) || places.replaced.has(start)) return;
  if (forbidden) place = `__stridelab.constants.${name}`;
  else if (gone) place = `__stridelab.${places.asked.has(start) ? 'global' : 'forgotten'}.${name}`;
  if (places.callees.has(start)) place = `(0, ${place})`;
  text.update(start, end, places.shorthands.has(start) ? `${name}: ${place}` : place);
}
