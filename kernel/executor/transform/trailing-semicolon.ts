import { parseSync } from 'oxc-parser';
import type { CellLanguage } from '../../protocol/cell-language.ts';

/** Returns whether the cell's last statement ends in a semicolon; comments after it do not count. */
export function endsWithSemicolon(source: string, lang: CellLanguage = 'ts'): boolean {
  // Only these endings can be silent, so most cells need no parsing.
  if (!/;\s*$|;\s*\/[/*]/.test(source)) return false;
  const last = parseSync(`cell.${lang}`, source, { lang, sourceType: 'module' }).program.body.at(-1);
  return last !== undefined && source[last.end - 1] === ';';
}
