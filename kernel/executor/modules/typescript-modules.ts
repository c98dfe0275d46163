/** Compiles imported TypeScript as cells are compiled, and maps places back for stack traces. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { originalPositionFor, TraceMap, type EncodedSourceMap } from '@jridgewell/trace-mapping';
import { parseSync } from 'oxc-parser';
import type { CompilerOptions } from '../../protocol/tsconfig.ts';
import { assignsFields, compile, hasDecorators, needsCompiler } from '../transform/compiler.ts';
import { CellSyntaxError, positionAt, type Position } from '../transform/positions.ts';
import { eraseTypes } from './erase-types.ts';
import { stripTypes, type StrippedCode } from '../transform/strip-types.ts';

type ModuleFormat = 'module' | 'commonjs';

const ENDING = /\.(?:[cm]?ts|[jt]sx)$/;

/** Compiled code; without a map, all places are unchanged. */
type LoadedCode = Pick<StrippedCode, 'code'> & { readonly map: StrippedCode['map'] | undefined };

export function isTypeScript(path: string): boolean {
  return ENDING.test(path) && !path.endsWith('.d.ts');
}

export class TypeScriptModules {
  readonly #loaded = new Map<
    string,
    { source: string; map: EncodedSourceMap | undefined; trace?: TraceMap }
  >();

  /** Loads a module. `required`: whether `require` loads it, which reloads only CommonJS. Throws `SyntaxError` with its place. */
  load(
    url: string,
    options: CompilerOptions,
    required: boolean
  ): { readonly format: ModuleFormat; readonly source: string } {
    const path = fileURLToPath(url);
    const source = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
    const format = required ? 'commonjs' : formatOf(path, source);
    try {
      const { code, map } = toModule(source, path, format, options);
      this.#loaded.set(url, { source, map });
      return { format, source: code };
    } catch (error) {
      throw error instanceof CellSyntaxError ? syntaxErrorAt(path, error) : error;
    }
  }

  /** Returns the TypeScript of a loaded module and the original place; undefined for other modules. */
  find(
    url: string,
    position: Position
  ): { readonly source: string; readonly position: Position | null } | undefined {
    // Node identifies CommonJS modules by path.
    const known = this.#loaded.get(url) ?? this.#loaded.get(pathToFileURL(url).href);
    if (known === undefined) return undefined;
    if (known.map === undefined) return { source: known.source, position };
    known.trace ??= new TraceMap(known.map);
    const { line, column } = originalPositionFor(known.trace, position);
    return { source: known.source, position: line === null ? null : { line, column } };
  }
}

/** Checks the syntax of a JavaScript module, since Node does not report the place of errors. Throws `SyntaxError` with its place. */
export function checkModule(path: string): void {
  if (!/\.m?js$/.test(path)) return;
  const source = readFileSync(path, 'utf8');
  const sourceType = path.endsWith('.mjs') ? 'module' : 'unambiguous';
  const [fault] = parseSync(path, source, { lang: 'js', sourceType }).errors;
  if (fault === undefined) return;
  throw syntaxErrorAt(
    path,
    new CellSyntaxError(fault.message, positionAt(source, fault.labels[0]?.start ?? 0))
  );
}

function toModule(source: string, path: string, format: ModuleFormat, options: CompilerOptions): LoadedCode {
  const lang = path.endsWith('x') ? 'tsx' : 'ts';
  const imports = { keepImports: options.verbatimModuleSyntax === true };
  const stripped = (): StrippedCode => stripTypes(source, lang, options, imports);
  const compiled = (): StrippedCode => compile(source, lang, options, { ...imports, format });
  const commonJs = format === 'commonjs' && /\b(?:import|export)\b/.test(source);
  if (commonJs || assignsFields(source, options) || hasDecorators(source, lang)) {
    // Syntax errors then have the first parser's messages, as elsewhere.
    if (!commonJs) stripped();
    return compiled();
  }
  try {
    const printed = stripped();
    const erased = lang === 'ts' ? eraseTypes(source, printed.code) : undefined;
    return erased === undefined ? printed : { code: erased, map: undefined };
  } catch (error) {
    if (error instanceof CellSyntaxError && needsCompiler(source, lang)) return compiled();
    throw error;
  }
}

/** Returns the format that the extension specifies; otherwise `module` if the file has module syntax, or else the package's format. */
function formatOf(path: string, source: string): ModuleFormat {
  const ending = extname(path);
  if (ending === '.mts') return 'module';
  if (ending === '.cts') return 'commonjs';
  const lang = ending.endsWith('x') ? 'tsx' : 'ts';
  if (parseSync(path, source, { lang, sourceType: 'module' }).module.hasModuleSyntax) return 'module';
  return isModulePackage(dirname(path)) ? 'module' : 'commonjs';
}

/** Returns whether the nearest `package.json` makes the folder's files ES modules. */
function isModulePackage(folder: string): boolean {
  const manifest = join(folder, 'package.json');
  if (existsSync(manifest)) {
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { type?: unknown }).type === 'module';
  }
  return folder !== dirname(folder) && isModulePackage(dirname(folder));
}

export function syntaxErrorAt(path: string, { message, position }: CellSyntaxError): SyntaxError {
  const error = new SyntaxError(message);
  error.stack = `SyntaxError: ${message}\n    at ${path}:${position.line}:${position.column + 1}`;
  return error;
}
