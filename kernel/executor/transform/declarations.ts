/** Rewrites one top-level statement of a cell to assignments to the notebook's names. */

import type * as acorn from 'acorn';
import type MagicString from 'magic-string';
import type { NotebookNames } from './names.ts';
import type { ReachedNames } from './reached-names.ts';
import type { IdentifierPlaces } from './references.ts';

export interface Rewriting {
  readonly text: MagicString;
  readonly names: NotebookNames;
  readonly places: IdentifierPlaces;
  target(name: string): string;
  /** Returns whether the name is internal to the cell and stays declared as it is. */
  isHelper(name: string): boolean;
  /** Returns whether an imported name may be only a type: the cell does not use it as a value. */
  mayBeType(name: string): boolean;
  readonly reached: ReachedNames;
}

/** Rewrites `let x = 1, { y } = o` to `x = 1, ({ y } = o)`; `insideFor` reduces a bare `var` head to its targets. */
export function rewriteVariables(
  { text, target, isHelper, reached }: Rewriting,
  declaration: acorn.VariableDeclaration,
  insideFor: boolean
): void {
  if (declaration.declarations.every(({ id }) => id.type === 'Identifier' && isHelper(id.name))) return;
  const first = declaration.declarations[0]!;
  text.remove(declaration.start, first.start);
  for (const declarator of declaration.declarations) {
    const { start, end, id, init } = declarator;
    if (init) {
      if (id.type === 'Identifier') {
        if (target(id.name) !== id.name && isAnonymous(init)) nameValue(text, id.name, init);
      } else {
        text.prependRight(start, '(');
        text.appendLeft(end, ')');
      }
      if (declaration.kind !== 'var') text.appendLeft(end, reached.mark(declarator));
    } else if (!insideFor && id.type === 'Identifier') {
      // `var x;` keeps the value of `x`, as it does in one script.
      const code = `${target(id.name)} = undefined${reached.mark(declarator)}`;
      text.update(start, end, declaration.kind === 'var' ? 'void 0' : code);
    } else if (id.type === 'Identifier' && target(id.name) !== id.name) {
      text.update(start, end, target(id.name));
    }
  }
}

/** Returns whether this is a function or class named after its variable; a property would not name it. */
function isAnonymous(init: acorn.Expression): boolean {
  return (
    init.type === 'ArrowFunctionExpression' ||
    ((init.type === 'FunctionExpression' || init.type === 'ClassExpression') && !init.id)
  );
}

function nameValue(text: MagicString, name: string, { start, end }: acorn.Expression): void {
  text.prependRight(start, `({ ${name}: `);
  text.appendLeft(end, ` }).${name}`);
}

/** Rewrites `using x = open()` to `using hidden = (x = open())`: disposed with the cell, and still a name afterwards. */
export function rewriteUsing(
  { text, target, places }: Rewriting,
  declaration: acorn.VariableDeclaration
): void {
  for (const { id, init } of declaration.declarations) {
    if (id.type !== 'Identifier' || !init) continue;
    places.replaced.add(id.start);
    text.update(id.start, id.end, `__using_${id.start}`);
    text.prependRight(init.start, `(${target(id.name)} = `);
    text.appendLeft(init.end, ')');
  }
}

/** Rewrites a function, which loses its own name so that recursion uses later redefinitions, as in a script. */
export function rewriteFunction(
  { text, target, isHelper }: Rewriting,
  node: acorn.FunctionDeclaration
): void {
  if (isHelper(node.id.name)) return;
  // A property does not name a function; its uses are rewritten anyway.
  if (target(node.id.name) === node.id.name) text.remove(node.id.start, node.id.end);
  text.prependRight(node.start, `${target(node.id.name)} = `);
  text.appendLeft(node.end, ';');
}

export function rewriteClass({ text, target }: Rewriting, node: acorn.ClassDeclaration): void {
  text.prependRight(node.start, `${target(node.id.name)} = `);
  text.appendLeft(node.end, ';');
}

/** The `import` of a cell as a function. The expression itself must be in the cell's script, from which Node resolves. */
export const IMPORT = '__stridelab.module((source, options) => import(source, options))';

/** Rewrites a static import to an awaited dynamic one, with a check for the imported names. */
export function rewriteImport(
  { text, target, isHelper, mayBeType }: Rewriting,
  node: acorn.ImportDeclaration
): void {
  const specifier = String(node.source.value);
  const source = JSON.stringify(specifier);
  const attributes = importAttributes(node, specifier);
  const loaded = `await ${IMPORT}(${source}${attributes === '' ? '' : `, { with: { ${attributes} } }`})`;
  const pairs: string[] = [];
  const wanted: string[] = [];
  const types: string[] = [];
  let whole: string | undefined;
  for (const item of node.specifiers) {
    if (item.type === 'ImportNamespaceSpecifier') {
      whole = target(item.local.name);
      continue;
    }
    const imported = item.type === 'ImportDefaultSpecifier' ? 'default' : exportName(item.imported);
    pairs.push(`${JSON.stringify(imported)}: ${target(item.local.name)}`);
    wanted.push(imported);
    if (mayBeType(item.local.name)) {
      types.push(`${JSON.stringify(imported)}: ${JSON.stringify(item.local.name)}`);
    }
  }
  let code = whole === undefined ? loaded : `${whole} = ${loaded}`;
  if (pairs.length > 0 && node.specifiers.every(({ local }) => isHelper(local.name))) {
    code = `const { ${pairs.join(', ')} } = ${code}`;
  } else if (pairs.length > 0) {
    code = `({ ${pairs.join(', ')} } = __stridelab.exportsOf(${code}, ${source}, ${JSON.stringify(wanted)}${types.length > 0 ? `, { ${types.join(', ')} }` : ''}))`;
  }
  text.update(node.start, node.end, `${code};`);
}

function importAttributes(node: acorn.ImportDeclaration, specifier: string): string {
  const written = node.attributes.map(
    ({ key, value }) =>
      `${JSON.stringify(key.type === 'Identifier' ? key.name : key.value)}: ${JSON.stringify(value.value)}`
  );
  // Node requires the attribute; TypeScript with `resolveJsonModule` does not.
  if (written.length === 0 && specifier.endsWith('.json')) return '"type": "json"';
  return written.join(', ');
}

function exportName(node: acorn.Identifier | acorn.Literal): string {
  return node.type === 'Identifier' ? node.name : String(node.value);
}
