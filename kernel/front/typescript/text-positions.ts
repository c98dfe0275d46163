/** Converts positions: offsets in UTF-16 units from 0, the code points of Jupyter, and the lines of the Language Server Protocol. */

import type { LspPosition } from './lsp-types.ts';

export function positionAt(text: string, offset: number): LspPosition {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length - 1, character: before.length - (before.lastIndexOf('\n') + 1) };
}

export function offsetAt(text: string, { line, character }: LspPosition): number {
  let start = 0;
  for (let number = 0; number < line; number += 1) {
    const end = text.indexOf('\n', start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  return Math.min(start + character, text.length);
}

/** Returns the start of the word that ends at the offset. */
export function wordStart(text: string, offset: number): number {
  return offset - /[\p{ID_Continue}$]*$/u.exec(text.slice(0, offset))![0].length;
}

/** Returns the end of the word that continues at the offset. */
export function wordEnd(text: string, offset: number): number {
  return offset + /^[\p{ID_Continue}$]*/u.exec(text.slice(offset))![0].length;
}

export function toUtf16(text: string, codePoints: number): number {
  let units = 0;
  for (let counted = 0; counted < codePoints && units < text.length; counted += 1) {
    units += text.codePointAt(units)! > 0xffff ? 2 : 1;
  }
  return units;
}

export function toCodePoints(text: string, units: number): number {
  let counted = 0;
  for (const character of text.slice(0, units)) if (character !== '') counted += 1;
  return counted;
}
