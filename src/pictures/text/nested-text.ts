/** Prints elements in nested brackets, as NumPy does. Pure. */

import { countShown, isCut, shownOf, until, type Edges } from './edges.ts';

const LINE = 75;
/** Maximum lines of values; one more line describes the array. */
const MOST_LINES = 9;
const GAP = '...';

/** Formats row-major `texts` of the elements of `axes`, at least one, in at most nine lines. */
export function nestedText(texts: readonly string[], axes: readonly Edges[]): string {
  let lines: string[] = [];
  until(axes, fewer => {
    if (countShown(fewer.slice(0, -1)) > MOST_LINES) return false;
    lines = linesOf(select(texts, axes, fewer), fewer);
    return lines.length <= MOST_LINES;
  });
  // More axes than lines.
  return (lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES - 1), GAP]).join('\n');
}

function select(texts: readonly string[], from: readonly Edges[], to: readonly Edges[]): string[] {
  if (from.every((edges, axis) => shownOf(edges) === shownOf(to[axis]!))) return [...texts];
  const chosen: string[] = [];
  const visit = (axis: number, at: number): void => {
    const [before, after] = [from[axis], to[axis]];
    if (before === undefined || after === undefined) {
      chosen.push(texts[at]!);
      return;
    }
    const width = shownOf(before);
    for (let i = 0; i < shownOf(after); i++)
      visit(axis + 1, at * width + (i < after.head ? i : width - shownOf(after) + i));
  };
  visit(0, 0);
  return chosen;
}

function linesOf(texts: readonly string[], axes: readonly Edges[], depth = axes.length): string[] {
  const [edges, ...inner] = axes as [Edges, ...Edges[]];
  if (inner.length === 0) return rowLines(texts, edges, depth);
  const size = countShown(inner);
  const blocks = Array.from({ length: shownOf(edges) }, (_, i) =>
    linesOf(texts.slice(i * size, (i + 1) * size), inner, depth).map(line => (line === '' ? '' : ` ${line}`))
  );
  if (isCut(edges)) blocks.splice(edges.head, 0, [` ${GAP}`]);
  // Matrices of a 3-D array are separated; with more axes that would use up all lines.
  const apart = depth === 3 && inner.length === 2 ? [''] : [];
  return bracketed(blocks.flatMap((lines, i) => (i === 0 ? lines : [...apart, ...lines])));
}

/** Joins texts side by side, in as many lines as needed. */
function rowLines(texts: readonly string[], edges: Edges, depth: number): string[] {
  const items = isCut(edges) ? [...texts.slice(0, edges.head), GAP, ...texts.slice(edges.head)] : texts;
  const lines: string[] = [];
  let line = '';
  for (const item of items) {
    // Leave room for the brackets of all axes.
    if (line !== '' && line.length + 1 + item.length + 2 * depth > LINE) {
      lines.push(` ${line.trimEnd()}`);
      line = item;
    } else line = line === '' ? item : `${line} ${item}`;
  }
  return bracketed([...lines, ` ${line}`]);
}

function bracketed(lines: readonly string[]): string[] {
  const first = `[${(lines[0] ?? '').slice(1)}`;
  const opened = lines.with(0, first);
  return opened.with(-1, `${opened.at(-1)}]`);
}
