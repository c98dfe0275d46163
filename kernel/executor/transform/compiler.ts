/** The TypeScript compiler, for syntax that the fast path does not support, such as decorators. It takes an eighth of a second to load. */

import { createRequire } from 'node:module';
import { TraceMap, originalPositionFor, type EncodedSourceMap } from '@jridgewell/trace-mapping';
import * as acorn from 'acorn';
import type ts from 'typescript';
import { jsxOptions, parseCell, type CellLanguage } from '../../protocol/cell-language.ts';
import { childNodes } from '../../protocol/syntax.ts';
import type { CompilerOptions } from '../../protocol/tsconfig.ts';
import type { StrippedCode } from './strip-types.ts';
import { offsetAt } from './positions.ts';

type Using = 'using' | 'await using';

/** Returns whether a cell that the fast path could not convert has syntax that only the compiler supports. */
export function needsCompiler(source: string, lang: CellLanguage): boolean {
  if (!/@|\baccessor\b|\bnamespace\b|\bmodule\b/.test(source)) return false;
  return parsesWith(source, lang, needsCompilerNode);
}

/** Returns whether the source has syntax that no JavaScript engine runs yet and the fast path would leave in. */
export function hasDecorators(source: string, lang: CellLanguage): boolean {
  if (!/@|\baccessor\b/.test(source)) return false;
  return parsesWith(source, lang, isDecorated);
}

/** Returns whether class fields are assigned in the constructor, unlike standard JavaScript. */
export function assignsFields(source: string, { useDefineForClassFields }: CompilerOptions): boolean {
  return useDefineForClassFields === false && /\bclass\b/.test(source);
}

/** Compiles like `stripTypes`, with the compiler; unused imports are kept by default. The source must have no syntax errors. */
export function compile(
  source: string,
  lang: CellLanguage,
  options: CompilerOptions,
  { keepImports = true, format = 'module' }: { keepImports?: boolean; format?: 'module' | 'commonjs' } = {}
): StrippedCode {
  const compiler = loadCompiler();
  const usings = usingDeclarations(source, lang);
  const { outputText, sourceMapText } = compiler.transpileModule(hideUsings(source, usings), {
    fileName: `cell.${lang}`,
    compilerOptions: {
      ...compilerOptions(compiler, options),
      verbatimModuleSyntax: keepImports && format === 'module',
      module: format === 'module' ? compiler.ModuleKind.ESNext : compiler.ModuleKind.CommonJS
    }
  });
  const code = outputText.replace(/\/\/# sourceMappingURL=.*\s*$/, '');
  const map = JSON.parse(sourceMapText!) as EncodedSourceMap;
  return { code: showUsings(code, map, source, usings), map, addsNames: true };
}

let loaded: typeof ts | undefined;

/** Loads TypeScript's compiler, which takes an eighth of a second the first time. */
export function loadCompiler(): typeof ts {
  return (loaded ??= createRequire(import.meta.url)('typescript') as typeof ts);
}

function compilerOptions(compiler: typeof ts, options: CompilerOptions): ts.CompilerOptions {
  const { experimentalDecorators, emitDecoratorMetadata, useDefineForClassFields } = options;
  const { jsx, ...factories } = jsxOptions(options);
  const emit = {
    react: compiler.JsxEmit.React,
    'react-jsx': compiler.JsxEmit.ReactJSX,
    'react-jsxdev': compiler.JsxEmit.ReactJSXDev
  };
  return {
    // The newest target that transforms decorators to calls.
    target: compiler.ScriptTarget.ES2025,
    esModuleInterop: true,
    // TypeScript 6 warns about the old module format.
    ignoreDeprecations: '6.0',
    sourceMap: true,
    experimentalDecorators: experimentalDecorators === true,
    emitDecoratorMetadata: emitDecoratorMetadata === true,
    useDefineForClassFields: useDefineForClassFields !== false,
    jsx: emit[jsx as keyof typeof emit],
    ...factories
  };
}

/** Finds `using` declarations, which the compiler would turn into a `try` around the cell: it sees `const` instead, replaced afterwards. */
function usingDeclarations(source: string, lang: CellLanguage): Map<number, Using> {
  const found = new Map<number, Using>();
  if (!/\busing\b/.test(source)) return found;
  some(parseCell(source, lang).program, node => {
    const { type, kind, start } = node as { type: string; kind?: string; start?: number };
    if (type === 'VariableDeclaration' && (kind === 'using' || kind === 'await using'))
      found.set(start!, kind);
    return false;
  });
  return found;
}

function hideUsings(source: string, usings: ReadonlyMap<number, Using>): string {
  let text = source;
  for (const [start, kind] of usings) {
    const end = start + /^(?:await\s+)?using/.exec(source.slice(start))![0].length;
    text = `${text.slice(0, start)}${kind === 'using' ? 'const' : 'const'.padEnd(end - start)}${text.slice(end)}`;
  }
  return text;
}

function showUsings(
  code: string,
  map: EncodedSourceMap,
  source: string,
  usings: ReadonlyMap<number, Using>
): string {
  if (usings.size === 0) return code;
  const trace = new TraceMap(map);
  const places: [start: number, kind: Using][] = [];
  some(acorn.parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true }), node => {
    const { type, start, loc } = node as { type: string; start: number; loc: acorn.SourceLocation };
    if (type !== 'VariableDeclaration') return false;
    const { line, column } = originalPositionFor(trace, loc.start);
    const kind = line === null ? undefined : usings.get(offsetAt(source, { line, column }));
    if (kind !== undefined) places.push([start, kind]);
    return false;
  });
  return places
    .sort(([a], [b]) => b - a)
    .reduce((text, [start, kind]) => text.slice(0, start) + kind + text.slice(start + 'const'.length), code);
}

function isDecorated(node: object): boolean {
  const { type, decorators } = node as { type: string; decorators?: readonly unknown[] };
  return type === 'AccessorProperty' || (decorators !== undefined && decorators.length > 0);
}

function needsCompilerNode(node: object): boolean {
  const { type, declare } = node as { type: string; declare?: boolean };
  return isDecorated(node) || (type === 'TSModuleDeclaration' && declare !== true);
}

/** Returns whether the source parses without errors and has a node that passes the test. */
function parsesWith(source: string, lang: CellLanguage, test: (node: object) => boolean): boolean {
  const { program, errors } = parseCell(source, lang);
  return errors.length === 0 && some(program, test);
}

function some(node: object, test: (node: object) => boolean): boolean {
  return test(node) || childNodes(node).some(child => some(child, test));
}
