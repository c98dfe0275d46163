/** Compiles a cell to a script: declarations assign to the notebook's names, imports are awaited, the last expression is the result. */

import * as acorn from 'acorn';
import type MagicString from 'magic-string';
import type { TextOrigin } from '../../../src/kernels/source/annotate.ts';
import { importsOfCuda } from '../../../src/kernels/source/kernel-calls.ts';
import type { CompilerOptions } from '../../protocol/tsconfig.ts';
import { addAwaitChecks } from './await-checks.ts';
import {
  IMPORT,
  rewriteClass,
  rewriteFunction,
  rewriteImport,
  rewriteUsing,
  rewriteVariables,
  type Rewriting
} from './declarations.ts';
import { COMPLETION_VALUE, markResult } from './completion-value.ts';
import { mergedName, replaceMerged } from './merging.ts';
import type { EarlierName, NotebookNames } from './names.ts';
import type { PositionMap } from './position-map.ts';
import { CellSyntaxError } from './positions.ts';
import { ReachedNames } from './reached-names.ts';
import { noteConstants, notePlace, rewriteReferences, topLevelScope } from './references.ts';
import { addStatementChecks } from './statement-checks.ts';
import { walk } from './syntax-walk.ts';
import { endsWithSemicolon, toJavaScript } from './to-javascript.ts';

export interface CompiledCell {
  /** An expression of type `(__stridelab, require) => unknown`; the function is async if the cell awaits. */
  readonly script: string;
  readonly declared: readonly DeclaredName[];
  /** Maps a position in the script to the cell's text. */
  readonly toSource: PositionMap['scriptToSource'];
  /** Returns a function that does what `toSource` does in less memory, exact to the word. */
  readonly compact: PositionMap['compact'];
}

/** A name that the cell declares. */
export interface DeclaredName {
  readonly earlier: EarlierName;
  /** Value of `__stridelab.at` from which on the name is declared; undefined if only its value can tell. */
  readonly reachedAt: number | undefined;
}

type TopLevel = acorn.Statement | acorn.ModuleDeclaration;

/** Where cells are from that have no name, since they do not run. */
const NOWHERE: TextOrigin = { file: 'Cell', line: 1 };

/**
 * Compiles a cell and declares its names in `names`. `options` are from the user's `tsconfig.json`; `origin` is what errors in kernels
 * of the cell say; `semicolonHides` is whether a semicolon at the end hides the result. Throws `CellSyntaxError`.
 */
export function compileCell(
  source: string,
  names: NotebookNames,
  options: CompilerOptions = {},
  origin = NOWHERE,
  semicolonHides = false
): CompiledCell {
  const { lang, text, map, program, isHelper } = toJavaScript(source, options, origin, names.cuda);
  const scope = topLevelScope(program);
  const variables = scope.variables.filter(({ name }) => !isHelper(name));
  refuseReExports(program, map);
  refuseUnknownExports(program, map, new Set(variables.map(({ name }) => name)), names);
  const declared = names.declare(variables.map(variable => variable.name));
  noteConstants(variables, names);
  names.setCuda(importsOfCuda(program));

  const unused = new Set(
    variables.filter(({ references }) => references.length === 0).map(({ name }) => name)
  );
  const statements = program.body.map(exportedDeclaration);
  const merged = new Set(statements.map(statement => statement && mergedName(statement)));
  const rewriting: Rewriting = {
    // By convention, type names begin with a capital.
    mayBeType: name => options.verbatimModuleSyntax !== true && /^\p{Lu}/u.test(name) && unused.has(name),
    text,
    names,
    places: { shorthands: new Set(), callees: new Set(), asked: new Set(), replaced: new Set() },
    target: name => (isHelper(name) ? name : names.target(name)),
    isHelper,
    // A `var` that hides a global does not hide it before it is assigned; enums and namespaces are compiled to `var`.
    reached: new ReachedNames(variables, name => !names.isProperty(name) && !merged.has(name))
  };
  addAwaitChecks(text, program);
  const awaits = rewriteNested(rewriting, program);
  rewriteReferences(rewriting, scope, variables);
  const hides = semicolonHides && endsWithSemicolon(source, lang);
  const usesValue = !hides && markResult(text, program.body);
  for (const statement of program.body) rewriteStatement(rewriting, statement);
  replaceMerged(text, statements);
  addStatementChecks(text, program);
  hoist(text, program.body);

  const head = `(${awaits ? 'async ' : ''}function (__stridelab, require) { "use strict";`;
  text.prepend(usesValue ? `${head}let ${COMPLETION_VALUE};` : head);
  text.append('\n})');
  return {
    script: text.toString(),
    declared: declared.map(earlier => ({ earlier, reachedAt: rewriting.reached.of(earlier.name) })),
    // Bound, not closures, which would retain everything that this function knows.
    toSource: map.scriptToSource.bind(map),
    compact: map.compact.bind(map)
  };
}

function refuseReExports(program: acorn.Program, map: PositionMap): void {
  for (const node of program.body) {
    const exports =
      node.type === 'ExportAllDeclaration' || (node.type === 'ExportNamedDeclaration' && node.source);
    if (!exports) continue;
    fail('A cell cannot re-export: import the names instead', node, map);
  }
}

function refuseUnknownExports(
  program: acorn.Program,
  map: PositionMap,
  own: ReadonlySet<string>,
  names: NotebookNames
): void {
  for (const node of program.body) {
    if (node.type !== 'ExportNamedDeclaration') continue;
    for (const { local } of node.specifiers) {
      const name = local.type === 'Identifier' ? local.name : String(local.value);
      if (!own.has(name) && !names.has(name)) fail(`Export '${name}' is not defined`, local, map);
    }
  }
}

function fail(message: string, { start }: acorn.Node, map: PositionMap): never {
  const { line, column } = acorn.getLineInfo(map.strippedCode, start);
  throw new CellSyntaxError(message, map.strippedToSource({ line, column }));
}

/** Rewrites constructs at any depth; returns whether the cell itself awaits. */
function rewriteNested(rewriting: Rewriting, program: acorn.Program): boolean {
  let awaits = false;
  walk(program, (node, parent, inFunction) => {
    notePlace(rewriting.places, node);
    if (node.type === 'MetaProperty' && node.meta.name === 'import') {
      rewriting.text.update(node.start, node.end, '__stridelab.meta');
    }
    if (node.type === 'ImportExpression') {
      rewriting.text.update(node.start, node.start + 'import'.length, IMPORT);
    }
    if (inFunction) return;
    if (node.type === 'AwaitExpression' || node.type === 'ImportDeclaration') awaits = true;
    if (node.type === 'ForOfStatement' && node.await) awaits = true;
    if (node.type !== 'VariableDeclaration') return;
    if (node.kind === 'await using') awaits = true;
    const topLevel = parent?.type === 'Program' || parent?.type === 'ExportNamedDeclaration';
    if (node.kind === 'using' || node.kind === 'await using') {
      if (topLevel) rewriteUsing(rewriting, node);
    } else if (topLevel || node.kind === 'var') {
      const loops = parent?.type === 'ForInStatement' || parent?.type === 'ForOfStatement';
      rewriteVariables(rewriting, node, loops && parent.left === node);
    }
  });
  return awaits;
}

function rewriteStatement(rewriting: Rewriting, statement: TopLevel): void {
  const { text } = rewriting;
  if (statement.type === 'ImportDeclaration') {
    rewriteImport(rewriting, statement);
    return;
  }
  const node = exportedDeclaration(statement);
  if (node === null) {
    text.remove(statement.start, statement.end);
    return;
  }
  if (statement.type === 'ExportDefaultDeclaration') removeExportDefault(text, statement);
  else if (node !== statement) text.remove(statement.start, node.start);
  if (node.type === 'FunctionDeclaration') {
    // After `export default` the name is optional.
    if (node.id) rewriteFunction(rewriting, node);
    else wrap(text, node);
  } else if (node.type === 'ClassDeclaration') {
    if (node.id) rewriteClass(rewriting, node);
    else wrap(text, node);
  }
}

/** Removes the keywords, but not parentheses before the expression. */
function removeExportDefault(text: MagicString, { start, end }: acorn.ExportDefaultDeclaration): void {
  const [words] = /^export\s+default\b/.exec(text.original.slice(start, end)) ?? [''];
  text.remove(start, start + words.length);
}

function wrap(text: MagicString, { start, end }: acorn.Node): void {
  text.prependRight(start, '(');
  text.appendLeft(end, ');');
}

/** Returns the declaration that is exported; the statement itself if it is no export; null for a bare list of names. */
function exportedDeclaration(statement: TopLevel): acorn.AnyNode | null {
  if (statement.type === 'ExportNamedDeclaration') return statement.declaration ?? null;
  return statement.type === 'ExportDefaultDeclaration' ? statement.declaration : statement;
}

/** Moves functions and imports to the front: they exist before the first statement runs. */
function hoist(text: MagicString, body: readonly TopLevel[]): void {
  let target: number | undefined;
  for (const statement of body) {
    const early =
      statement.type === 'ImportDeclaration' ||
      exportedDeclaration(statement)?.type === 'FunctionDeclaration';
    if (!early) target ??= statement.start;
    else if (target !== undefined) text.move(statement.start, statement.end, target);
  }
}
