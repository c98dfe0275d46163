/** Text that is added to a file without new lines, so that only columns after it move. Pure. */

export interface Insertion {
  /** The offset in the file before which the text is added. */
  readonly offset: number;
  readonly text: string;
}

/** An insertion in a line: its column there, and its length. */
export interface Addition {
  readonly at: number;
  readonly length: number;
}

/** A place in a text. Lines count from 1, columns from 0. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** Adds the insertions, which are in order. */
export function inserted(text: string, insertions: readonly Insertion[]): string {
  let result = '';
  let from = 0;
  for (const { offset, text: added } of insertions) {
    result += text.slice(from, offset) + added;
    from = offset;
  }
  return result + text.slice(from);
}

/** Returns the place in the file; null for a place in an insertion. */
export function originalPlace(
  text: string,
  insertions: readonly Insertion[],
  { line, column }: Place
): Place | null {
  let moved = 0;
  for (const { at, length } of additionsByLine(text, insertions)[line - 1] ?? []) {
    if (column < at + moved) break;
    if (column < at + moved + length) return null;
    moved += length;
  }
  return { line, column: column - moved };
}

/** Returns the insertions of each line. */
export function additionsByLine(text: string, insertions: readonly Insertion[]): readonly Addition[][] {
  let start = 0;
  let next = 0;
  return text.split('\n').map(line => {
    const additions: Addition[] = [];
    for (; next < insertions.length && insertions[next]!.offset <= start + line.length; next += 1)
      additions.push({ at: insertions[next]!.offset - start, length: insertions[next]!.text.length });
    start += line.length + 1;
    return additions;
  });
}
