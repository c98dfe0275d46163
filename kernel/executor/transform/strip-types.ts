/** TypeScript to JavaScript of the newest kind: types go, enums and namespaces become code, imports stay as written. */

import { transformSync, type OxcError } from 'oxc-transform';
import type { EncodedSourceMap } from '@jridgewell/trace-mapping';
import { CellSyntaxError } from './syntax-error.ts';
import { positionAt } from './positions.ts';

export interface StrippedCode {
  readonly code: string;
  readonly map: EncodedSourceMap;
}

/** Throws `CellSyntaxError` at the first fault the parser reports. */
export function stripTypes(source: string): StrippedCode {
  const { code, map, errors } = transformSync('cell.ts', source, {
    lang: 'ts',
    sourceType: 'module',
    sourcemap: true,
    target: 'esnext',
    // An import that this cell does not use must be there for later cells.
    typescript: { onlyRemoveTypeImports: true }
  });
  const [first] = errors;
  if (first !== undefined) throw syntaxError(source, first);
  return { code, map: map as unknown as EncodedSourceMap };
}

function syntaxError(source: string, error: OxcError): CellSyntaxError {
  // The last label is where the parser gave up; of a redeclaration it is the second declaration.
  const redeclared = error.message.includes('already been declared');
  const label = redeclared ? error.labels.at(-1) : error.labels[0];
  // The labels count UTF-8 bytes.
  const offset = Buffer.from(source)
    .subarray(0, label?.start ?? 0)
    .toString().length;
  const help = error.helpMessage === null ? '' : ` (${error.helpMessage})`;
  return new CellSyntaxError(`${error.message}${help}`, positionAt(source, offset));
}
