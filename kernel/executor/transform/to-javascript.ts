/** Converts a cell to JavaScript and its syntax tree: with the fast path if possible, otherwise with the compiler. */

import * as acorn from 'acorn';
import MagicString from 'magic-string';
import type { TextOrigin } from '../../../src/kernels/source/annotate.ts';
import { inserted, originalPlace, type Insertion } from '../../../src/kernels/source/insertions.ts';
import { cellLanguage, parseCell, type CellLanguage } from '../../protocol/cell-language.ts';
import { objectParentheses } from '../../protocol/object-cell.ts';
import type { CompilerOptions } from '../../protocol/tsconfig.ts';
import { assignsFields, compile, needsCompiler } from './compiler.ts';
import { withKernelSources, type SourcedText } from './kernel-sources.ts';
import { PositionMap } from './position-map.ts';
import { CellSyntaxError, type Position } from './positions.ts';
import { stripTypes, type StrippedCode } from './strip-types.ts';

export interface JavaScript {
  readonly lang: CellLanguage;
  /** The text to edit into the script. */
  readonly text: MagicString;
  readonly map: PositionMap;
  readonly program: acorn.Program;
  /** Returns whether a top-level name is not in the source, such as a helper or a JSX factory. */
  isHelper(name: string): boolean;
}

/** Converts a cell, with the sources of its kernels; `cuda` are names of `cuda` in earlier cells. Throws `CellSyntaxError`. */
export function toJavaScript(
  source: string,
  options: CompilerOptions,
  origin: TextOrigin,
  cuda: ReadonlySet<string>
): JavaScript {
  // JavaScript allows `#!` only in the first line of a file.
  const written = source.startsWith('#!') ? `//${source.slice(2)}` : source;
  const parentheses = objectParentheses(written);
  const code = inserted(written, parentheses);
  const lang = cellLanguage(code);
  const isWritten = namesIn(code);
  return withKernelSources(code, origin, lang, cuda, text =>
    convert(parentheses.length === 0 ? text : within(text, written, parentheses), lang, options, isWritten)
  );
}

/** Maps places to a text without insertions. */
function within(text: SourcedText, written: string, insertions: readonly Insertion[]): SourcedText {
  return {
    code: text.code,
    original: position => {
      const place = text.original(position);
      return place && originalPlace(written, insertions, place);
    }
  };
}

function convert(
  text: SourcedText,
  lang: CellLanguage,
  options: CompilerOptions,
  isWritten: (name: string) => boolean
): JavaScript {
  const { code } = text;
  const parsed = (stripped: StrippedCode): JavaScript => parseStripped(text, lang, stripped, isWritten);
  if (assignsFields(code, options)) {
    // Reports syntax errors with the fast path's parser; the compiler recovers from most.
    stripTypes(code, lang, options);
    return parsed(compile(code, lang, options));
  }
  try {
    return parsed(stripTypes(code, lang, options));
  } catch (error) {
    if (!(error instanceof CellSyntaxError) || !needsCompiler(code, lang)) throw error;
    return parsed(compile(code, lang, options));
  }
}

function parseStripped(
  sourced: SourcedText,
  lang: CellLanguage,
  { code, map: encoded, addsNames }: StrippedCode,
  isWritten: (name: string) => boolean
): JavaScript {
  const text = new MagicString(code);
  const map = new PositionMap(text, encoded, sourced);
  return { lang, text, map, program: parse(code, map), isHelper: name => addsNames && !isWritten(name) };
}

/** Returns whether a name is in the source. */
function namesIn(source: string): (name: string) => boolean {
  let written: Set<string> | undefined;
  return name => {
    written ??= new Set(source.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu));
    return written.has(name);
  };
}

/** Skips checks that are made elsewhere: duplicate names, which take this parser quadratic time, and exports of unknown names. */
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

/** Returns whether the cell's last statement ends in a semicolon; comments after it do not count. */
export function endsWithSemicolon(source: string, lang: CellLanguage = 'ts'): boolean {
  // Only these endings can be silent, so most cells need no parsing.
  if (!/;\s*$|;\s*\/[/*]/.test(source)) return false;
  const last = parseCell(source, lang).program.body.at(-1);
  return last !== undefined && source[last.end - 1] === ';';
}
