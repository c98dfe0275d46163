/** Converts TypeScript to current JavaScript: types are removed, enums and namespaces become code, imports are unchanged. */

import { transformSync, type JsxOptions, type OxcError } from 'oxc-transform';
import type { EncodedSourceMap } from '@jridgewell/trace-mapping';
import { jsxOptions, type CellLanguage } from '../../protocol/cell-language.ts';
import type { CompilerOptions } from '../../protocol/tsconfig.ts';
import { CellSyntaxError, positionAt } from './positions.ts';

export interface StrippedCode {
  readonly code: string;
  readonly map: EncodedSourceMap;
  /** Whether top-level names were added that the source does not have. */
  readonly addsNames: boolean;
}

/** Converts the source. Throws `CellSyntaxError` at the first error that the parser reports. */
export function stripTypes(
  source: string,
  lang: CellLanguage,
  options: CompilerOptions,
  { keepImports = true }: { readonly keepImports?: boolean } = {}
): StrippedCode {
  const { code, map, errors } = transformSync(`cell.${lang}`, source, {
    lang,
    sourceType: 'module',
    sourcemap: true,
    target: 'esnext',
    // Imports that this cell does not use must be available to later cells.
    typescript: { onlyRemoveTypeImports: keepImports },
    ...(lang === 'tsx' && { jsx: oxcJsx(source, options) })
  });
  const [first] = errors;
  if (first !== undefined) throw syntaxError(source, first);
  return { code, map: map as unknown as EncodedSourceMap, addsNames: lang === 'tsx' };
}

function oxcJsx(source: string, options: CompilerOptions): JsxOptions {
  const { jsx, jsxImportSource, jsxFactory, jsxFragmentFactory } = jsxOptions(options);
  const common = { throwIfNamespace: false, pure: false };
  // A factory named in a comment selects the classic transform.
  const named = /@jsx\s+\S/.test(source) && !/@jsxImportSource\b|@jsxRuntime\s+automatic/.test(source);
  if (jsx === 'react' || named) {
    return {
      ...common,
      runtime: 'classic',
      ...(jsxFactory !== undefined && { pragma: jsxFactory }),
      ...(jsxFragmentFactory !== undefined && { pragmaFrag: jsxFragmentFactory })
    };
  }
  return {
    ...common,
    runtime: 'automatic',
    development: jsx === 'react-jsxdev',
    ...(jsxImportSource !== undefined && { importSource: jsxImportSource })
  };
}

function syntaxError(source: string, error: OxcError): CellSyntaxError {
  // The first label is the place of the error; for a redeclaration, the last is the second declaration.
  const redeclared = error.message.includes('already been declared');
  const label = redeclared ? error.labels.at(-1) : error.labels[0];
  // The labels count UTF-8 bytes.
  const offset = Buffer.from(source)
    .subarray(0, label?.start ?? 0)
    .toString().length;
  const help = error.helpMessage === null ? '' : ` (${error.helpMessage})`;
  return new CellSyntaxError(`${error.message}${help}`, positionAt(source, offset));
}
