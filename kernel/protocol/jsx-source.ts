/** Decides whose JSX a cell has: that of React or Preact once a cell has imported one of them, otherwise the kernel's. */

import type { ParseResult } from 'oxc-parser';
import { cellLanguage, parseCell } from './cell-language.ts';
import type { CompilerOptions } from './tsconfig.ts';

/** An import of a package whose JSX the notebook then has. */
export interface JsxImport {
  readonly specifier: string;
  /** Names that the import declares. */
  readonly names: readonly string[];
}

interface JsxSource {
  /** The compiler's `jsxImportSource`. */
  readonly source: string;
  readonly library: 'react' | 'preact';
  /** Whether the specifier is that of the library itself, not of a package that renders its elements. */
  readonly own: boolean;
}

type Program = ParseResult['program'];
type Statement = Program['body'][number];
type Pattern = Extract<Statement, { type: 'VariableDeclaration' }>['declarations'][number]['id'];
type Expression = Extract<Statement, { type: 'ExpressionStatement' }>['expression'];

const SPECIFIER =
  /^(npm:\/?|https:\/\/esm\.sh\/(?:(?:v\d+|stable)\/)?\*?)?(react|preact)(-dom|-render-to-string)?(@[^\s/?#]+)?(?=[/?#]|$)/;

/** Returns the JSX source that a module specifier stands for: `npm:react-dom@19/server` is for `npm:react@19`. */
export function jsxSourceOf(specifier: string): JsxSource | undefined {
  const [, host = '', library, renderer, version = ''] = SPECIFIER.exec(specifier) ?? [];
  if (library !== 'react' && library !== 'preact') return undefined;
  if (renderer !== undefined && (renderer === '-dom') !== (library === 'react')) return undefined;
  if (host === '' && version !== '') return undefined;
  // Preact's renderer has versions of its own.
  const same = renderer !== '-render-to-string';
  return { source: `${host}${library}${same ? version : ''}`, library, own: renderer === undefined };
}

/** Returns the specifiers of modules that may render an element of the library, in the order in which to try them. */
export function rendererSpecifiers(library: JsxSource['library'], current: string | undefined): string[] {
  const plain = library === 'react' ? 'react-dom/server' : 'preact-render-to-string';
  if (current === undefined || jsxSourceOf(current)?.library !== library) return [plain];
  const own =
    library === 'react'
      ? `${current.replace(/react(?=@|$)/, 'react-dom')}/server`
      : current.replace(/preact(?:@.*)?$/, plain);
  return [...new Set([own, plain])];
}

/** Returns the imports of React and Preact at the top level of a cell: static, awaited and required ones. */
export function jsxImports(code: string, program?: Program): JsxImport[] {
  if (!/react/.test(code)) return [];
  const { body } = program ?? parseCell(code, cellLanguage(code)).program;
  return body.flatMap(importsOf).filter(({ specifier }) => jsxSourceOf(specifier) !== undefined);
}

/** Returns the source of the cells after one with these imports; `assigned` lists the names that exist if it did not complete. */
export function nextJsxSource(
  current: string | undefined,
  imports: readonly JsxImport[],
  assigned?: ReadonlySet<string>
): string | undefined {
  let next = current === undefined ? undefined : jsxSourceOf(current);
  for (const { specifier, names } of imports) {
    const ran = assigned === undefined || (names.length > 0 && names.every(name => assigned.has(name)));
    const found = ran ? jsxSourceOf(specifier) : undefined;
    // A package that renders elements does not select a version of the library.
    if (found !== undefined && (found.own || found.library !== next?.library)) next = found;
  }
  return next?.source;
}

/** Returns the source of a cell with these imports; undefined if none was imported or the user's settings say whose JSX cells have. */
export function importedJsxSource(
  { jsx, jsxImportSource }: CompilerOptions,
  current: string | undefined,
  imports: readonly JsxImport[]
): string | undefined {
  if (jsxImportSource !== undefined || /^react/.test(jsx ?? '')) return undefined;
  return nextJsxSource(current, imports);
}

/** Returns the compiler's options with the source of a cell, as in `importedJsxSource`. Comments in the cell win over both. */
export function withImportedJsx(
  options: CompilerOptions,
  current: string | undefined,
  imports: readonly JsxImport[]
): CompilerOptions {
  const source = importedJsxSource(options, current, imports);
  return source === undefined ? options : { ...options, jsx: 'react-jsx', jsxImportSource: source };
}

function importsOf(statement: Statement): JsxImport[] {
  switch (statement.type) {
    case 'ImportDeclaration': {
      const values = statement.importKind === 'type' ? [] : statement.specifiers;
      const names = values.filter(each => each.type !== 'ImportSpecifier' || each.importKind !== 'type');
      return [{ specifier: statement.source.value, names: names.map(({ local }) => local.name) }];
    }
    case 'TSImportEqualsDeclaration': {
      const { id, moduleReference: module } = statement;
      if (module.type !== 'TSExternalModuleReference') return [];
      return [{ specifier: module.expression.value, names: [id.name] }];
    }
    case 'VariableDeclaration':
      return statement.declarations.flatMap(({ id, init }) => {
        const specifier = init === null ? undefined : loadedModule(init);
        return specifier === undefined ? [] : [{ specifier, names: namesOf(id) }];
      });
    default:
      return [];
  }
}

/** Returns the specifier of `await import("…")` and `require("…")`. */
function loadedModule(expression: Expression): string | undefined {
  let source: object | undefined;
  if (expression.type === 'AwaitExpression' && expression.argument.type === 'ImportExpression') {
    source = expression.argument.source;
  } else if (expression.type === 'CallExpression') {
    const { callee } = expression;
    if (callee.type === 'Identifier' && callee.name === 'require') [source] = expression.arguments;
  }
  const value = source !== undefined && 'value' in source ? source.value : undefined;
  return typeof value === 'string' ? value : undefined;
}

function namesOf(pattern: Pattern): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap(each =>
        namesOf(each.type === 'RestElement' ? each.argument : each.value)
      );
    case 'AssignmentPattern':
      return namesOf(pattern.left);
    default:
      return [];
  }
}
