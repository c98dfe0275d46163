/** Decides whether a cell is TypeScript or TSX, and how its JSX is transformed. */

import type { ParserOptions, ParseResult } from 'oxc-parser';
import { parseSync } from './oxc.ts';
import type { CompilerOptions } from './tsconfig.ts';

export type CellLanguage = 'ts' | 'tsx';

/** Returns TypeScript if it parses, since `<T>x` differs in TSX; if neither does, the language whose parser got farther. */
export function cellLanguage(code: string): CellLanguage {
  // Every element ends in one of these.
  if (!/<\/|\/>/.test(code)) return 'ts';
  const asTypeScript = firstFault(code, 'ts');
  return asTypeScript < firstFault(code, 'tsx') ? 'tsx' : 'ts';
}

function firstFault(code: string, lang: CellLanguage): number {
  const { errors } = parseCell(code, lang);
  return Math.min(...errors.flatMap(({ labels }) => labels.map(({ start }) => start)), Infinity);
}

export function parseCell(
  code: string,
  lang: CellLanguage | 'js' | 'jsx',
  options?: ParserOptions
): ParseResult {
  return parseSync(`cell.${lang}`, code, { ...options, lang, sourceType: 'module' });
}

/** Returns the compiler's JSX options for cells: by default JSX displays as HTML. */
export function jsxOptions(
  options: CompilerOptions
): Required<Pick<CompilerOptions, 'jsx'>> &
  Pick<CompilerOptions, 'jsxImportSource' | 'jsxFactory' | 'jsxFragmentFactory'> {
  const { jsx, jsxImportSource, jsxFactory, jsxFragmentFactory } = options;
  if (jsx === 'react') {
    return {
      jsx,
      ...(jsxFactory !== undefined && { jsxFactory }),
      ...(jsxFragmentFactory !== undefined && { jsxFragmentFactory })
    };
  }
  if (jsx === 'react-jsx' || jsx === 'react-jsxdev') {
    return { jsx, ...(jsxImportSource !== undefined && { jsxImportSource }) };
  }
  return { jsx: 'react-jsx', jsxImportSource: jsxImportSource ?? 'stridelab' };
}
