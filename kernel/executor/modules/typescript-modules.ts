/** Compiles imported modules as cells are compiled, and maps places back for stack traces. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { originalPositionFor, TraceMap, type EncodedSourceMap } from '@jridgewell/trace-mapping';
import { parseSync } from '../../protocol/oxc.ts';
import { CUDA } from '../../../src/kernels/source/kernel-calls.ts';
import type { CellLanguage } from '../../protocol/cell-language.ts';
import { jsxImports, withImportedJsx } from '../../protocol/jsx-source.ts';
import type { CompilerOptions } from '../../protocol/tsconfig.ts';
import { assignsFields, compile, hasDecorators, needsCompiler } from '../transform/compiler.ts';
import { withKernelSources, type SourcedText } from '../transform/kernel-sources.ts';
import { CellSyntaxError, positionAt, type Position } from '../transform/positions.ts';
import { withDeno } from './deno-in-files.ts';
import { eraseTypes } from './erase-types.ts';
import { stripTypes, type StrippedCode } from '../transform/strip-types.ts';

type ModuleFormat = 'module' | 'commonjs';

const ENDING = /\.(?:[cm]?ts|[jt]sx)$/;

/** Compiled code; without a map, places are those of the text of `original`. */
interface LoadedCode extends Pick<SourcedText, 'code' | 'original'> {
  readonly map: EncodedSourceMap | undefined;
}

interface LoadedModule extends Pick<LoadedCode, 'map' | 'original'> {
  readonly source: string;
  trace?: TraceMap;
}

export function isTypeScript(path: string): boolean {
  return ENDING.test(path) && !path.endsWith('.d.ts');
}

export function isJavaScript(path: string): boolean {
  return /\.[cm]?js$/.test(path);
}

export class TypeScriptModules {
  readonly #loaded = new Map<string, LoadedModule>();
  readonly #label: (path: string) => string;

  /** @param label returns the name of a file in messages */
  constructor(label: (path: string) => string) {
    this.#label = label;
  }

  /**
   * Loads a module, which is in `path`. `required`: whether `require` loads it, which reloads only CommonJS.
   * @throws SyntaxError with its place
   */
  load(
    url: string,
    options: CompilerOptions,
    required: boolean,
    path = fileURLToPath(url)
  ): { readonly format: ModuleFormat; readonly source: string } {
    const source = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
    const format = required ? 'commonjs' : formatOf(path, source);
    // A file has the JSX of what it imports itself.
    const own = withImportedJsx(options, undefined, languageOf(path) === 'tsx' ? jsxImports(source) : []);
    try {
      const origin = { file: this.#label(path), line: 1 };
      const { code, ...places } = withKernelSources(source, origin, languageOf(path), CUDA, text => ({
        original: text.original,
        ...toModule(text.code, languageOf(path), format, own)
      }));
      this.#loaded.set(url, { source, ...places });
      return { format, source: format === 'module' ? withDeno(code) : code };
    } catch (error) {
      throw error instanceof CellSyntaxError ? syntaxErrorAt(nameOf(url), error) : error;
    }
  }

  /** Returns the code of a JavaScript module with the sources of its kernels. */
  withKernels(url: string, source: string): string {
    const origin = { file: this.#label(fileURLToPath(url)), line: 1 };
    const { code, original } = withKernelSources(source, origin, 'tsx', CUDA, text => text);
    if (code !== source) this.#loaded.set(url, { source, map: undefined, original });
    return code;
  }

  /** Returns the source of a loaded module and the original place; undefined for other modules. */
  find(
    url: string,
    position: Position
  ): { readonly source: string; readonly position: Position | null } | undefined {
    // Node identifies CommonJS modules by path.
    const known =
      this.#loaded.get(url) ?? (URL.canParse(url) ? undefined : this.#loaded.get(pathToFileURL(url).href));
    if (known === undefined) return undefined;
    return { source: known.source, position: originalPosition(known, position) };
  }
}

function originalPosition(loaded: LoadedModule, position: Position): Position | null {
  if (loaded.map === undefined) return loaded.original(position);
  loaded.trace ??= new TraceMap(loaded.map);
  const { line, column } = originalPositionFor(loaded.trace, position);
  return line === null ? null : loaded.original({ line, column });
}

/** Checks the syntax of a JavaScript module, since Node does not report the place of errors. Throws `SyntaxError` with its place. */
export function checkModule(path: string, name = path): void {
  if (!/\.m?js$/.test(path)) return;
  const source = readFileSync(path, 'utf8');
  const sourceType = path.endsWith('.mjs') ? 'module' : 'unambiguous';
  const [fault] = parseSync(path, source, { lang: 'js', sourceType }).errors;
  if (fault === undefined) return;
  throw syntaxErrorAt(
    name,
    new CellSyntaxError(fault.message, positionAt(source, fault.labels[0]?.start ?? 0))
  );
}

/** Returns how stack traces name a module: a file by its path. */
function nameOf(url: string): string {
  return url.startsWith('file:') ? fileURLToPath(url) : url;
}

function languageOf(path: string): CellLanguage {
  return path.endsWith('x') ? 'tsx' : 'ts';
}

function toModule(
  source: string,
  lang: CellLanguage,
  format: ModuleFormat,
  options: CompilerOptions
): Omit<LoadedCode, 'original'> {
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
  if (parseSync(path, source, { lang: languageOf(path), sourceType: 'module' }).module.hasModuleSyntax)
    return 'module';
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
