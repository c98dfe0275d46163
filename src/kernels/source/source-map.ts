/** Source maps of files with insertions, for debuggers and bundlers. Pure. */

import { additionsByLine, inserted, type Addition, type Insertion } from './insertions.ts';

/** A source map, version 3. */
export interface SourceMap {
  readonly version: 3;
  readonly sources: string[];
  readonly sourcesContent: string[];
  readonly names: string[];
  readonly mappings: string;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Returns the map of `inserted(text, insertions)`. It maps each word, and no inserted text. */
export function sourceMap(text: string, insertions: readonly Insertion[], source: string): SourceMap {
  const additions = additionsByLine(text, insertions);
  let last = { line: 0, column: 0 };
  const mappings = text.split('\n').map((content, line) => {
    let lastMoved = 0;
    const segments = segmentsOf(content, additions[line]!).map(({ moved, column }) => {
      const fields = [moved - lastMoved];
      lastMoved = moved;
      if (column !== undefined) {
        fields.push(0, line - last.line, column - last.column);
        last = { line, column };
      }
      return fields.map(encoded).join('');
    });
    return segments.join(',');
  });
  return { version: 3, sources: [source], sourcesContent: [text], names: [], mappings: mappings.join(';') };
}

/** Returns the file with its map in a comment. */
export function withSourceMap(text: string, insertions: readonly Insertion[], source: string): string {
  const map = Buffer.from(JSON.stringify(sourceMap(text, insertions, source))).toString('base64');
  return `${inserted(text, insertions)}\n//# sourceMappingURL=data:application/json;base64,${map}\n`;
}

/** A place where a mapping begins: the column in the file, if the text there is of the file. */
interface Segment {
  readonly moved: number;
  readonly column: number | undefined;
}

function segmentsOf(line: string, additions: readonly Addition[]): Segment[] {
  const columns = new Set([0, ...Array.from(line.matchAll(/\w+|[^\w\s]/g), ({ index }) => index)]);
  for (const { at } of additions) columns.add(at);
  const segments: Segment[] = [];
  const ordered = [...columns].sort((a, b) => a - b);
  let moved = 0;
  for (const column of ordered) {
    for (const { at, length } of additions) {
      if (at !== column) continue;
      segments.push({ moved: column + moved, column: undefined });
      moved += length;
    }
    segments.push({ moved: column + moved, column });
  }
  return segments;
}

/** Returns a number in the encoding of source maps: groups of five bits, the lowest first, with the sign in the lowest bit. */
function encoded(value: number): string {
  let rest = value < 0 ? -value * 2 + 1 : value * 2;
  let text = '';
  do {
    const more = rest >= 32;
    text += DIGITS[(rest % 32) + (more ? 32 : 0)];
    rest = Math.floor(rest / 32);
  } while (rest > 0);
  return text;
}
