/** A cell's JavaScript and its tree: by the fast path where that suffices, by the compiler otherwise. */

import * as acorn from 'acorn';
import MagicString from 'magic-string';
import { cellLanguage, type CellLanguage } from '../../protocol/cell-language.ts';
import type { CompilerOptions } from '../../protocol/tsconfig.ts';
import { assignsFields, compile, needsCompiler } from './compiler.ts';
import { PositionMap } from './position-map.ts';
import type { Position } from './positions.ts';
import { stripTypes, type StrippedCode } from './strip-types.ts';
import { CellSyntaxError } from './syntax-error.ts';

export interface JavaScript {
  /** Of the source. */
  readonly lang: CellLanguage;
  /** To be edited into the script. */
  readonly text: MagicString;
  readonly map: PositionMap;
  readonly program: acorn.Program;
  /** Names of the top level that are not in the source: helpers, and what JSX calls. */
  isHelper(name: string): boolean;
}

/** Throws `CellSyntaxError`. */
export function toJavaScript(source: string, options: CompilerOptions): JavaScript {
  // JavaScript allows `#!` in the first line of a file only.
  const code = source.startsWith('#!') ? `//${source.slice(2)}` : source;
  const lang = cellLanguage(code);
  if (assignsFields(code, options)) {
    // The faults of the fast path's parser are the cell's; the compiler recovers from most.
    stripTypes(code, lang, options);
    return parsed(code, lang, compile(code, lang, options));
  }
  try {
    return parsed(code, lang, stripTypes(code, lang, options));
  } catch (error) {
    if (!(error instanceof CellSyntaxError) || !needsCompiler(code, lang)) throw error;
    return parsed(code, lang, compile(code, lang, options));
  }
}

function parsed(
  source: string,
  lang: CellLanguage,
  { code, map: encoded, addsNames }: StrippedCode
): JavaScript {
  const text = new MagicString(code);
  const map = new PositionMap(text, encoded);
  let written: Set<string> | undefined;
  const isWritten = (name: string): boolean => {
    written ??= new Set(source.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu));
    return written.has(name);
  };
  return { lang, text, map, program: parse(code, map), isHelper: name => addsNames && !isWritten(name) };
}

/**
 * Leaves out what others judge: declaring a name twice, which the first parser refused (and this one finds in a time
 * that grows with the square of the names), and exporting names that this cell does not declare.
 */
const CellParser = acorn.Parser.extend(
  Base =>
    class extends (Base as unknown as new (...parameters: unknown[]) => ParserChecks) {
      override declareName(): void {}

      override raiseRecoverable(offset: number, message: string): void {
        if (!/^Export '.*' is not defined$/.test(message)) super.raiseRecoverable(offset, message);
      }
    } as unknown as typeof acorn.Parser
);

/** Methods that plugins of the parser may override. */
interface ParserChecks {
  declareName(name: string, kind: number, offset: number): void;
  raiseRecoverable(offset: number, message: string): void;
}

function parse(code: string, map: PositionMap): acorn.Program {
  try {
    return CellParser.parse(code, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      allowAwaitOutsideFunction: true,
      ranges: true
    });
  } catch (error) {
    const { message, loc } = error as SyntaxError & { loc: Position };
    throw new CellSyntaxError(message.replace(/ \(\d+:\d+\)$/, ''), map.strippedToSource(loc));
  }
}
