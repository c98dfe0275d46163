import { parseSync } from 'oxc-parser';
import type { CellLanguage } from '../../protocol/cell-language.ts';

/** Whether the cell's last statement ends in a semicolon; comments after it do not count. */
export function endsWithSemicolon(source: string, lang: CellLanguage = 'ts'): boolean {
  // Only these endings can be silent, so most cells are not parsed for it.
  if (!/;\s*$|;\s*\/[/*]/.test(source)) return false;
  const last = parseSync(`cell.${lang}`, source, { lang, sourceType: 'module' }).program.body.at(-1);
  return last !== undefined && source[last.end - 1] === ';';
}
