/** Converts cursor positions: Jupyter counts Unicode code points, JavaScript and LSP count UTF-16 units. */

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
