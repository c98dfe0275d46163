/** Decides whether a cell is TypeScript or TSX, and how its JSX is transformed. */

import { parseSync } from 'oxc-parser';
import type { CompilerOptions } from './tsconfig.ts';

export type CellLanguage = 'ts' | 'tsx';

/**
 * Returns TypeScript if possible, because `<T>x` and `<T>(x: T) => x` mean something else in TSX. If neither parses,
 * returns the language whose parser got farther.
 */
export function cellLanguage(code: string): CellLanguage {
  // Every element ends in one of these.
  if (!/<\/|\/>/.test(code)) return 'ts';
  const asTypeScript = firstFault(code, 'ts');
  return asTypeScript < firstFault(code, 'tsx') ? 'tsx' : 'ts';
}

function firstFault(code: string, lang: CellLanguage): number {
  const { errors } = parseSync(`cell.${lang}`, code, { lang, sourceType: 'module' });
  return Math.min(...errors.flatMap(({ labels }) => labels.map(({ start }) => start)), Infinity);
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
