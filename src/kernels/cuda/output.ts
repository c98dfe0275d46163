/** Lines of emitted text, and which lines of the source they name. Pure. */

import type { Place, SourceFile } from '../program/program.ts';

export interface Output {
  /** Adds a line at the present depth. */
  put(text: string): void;
  /** The line that is added next comes from this place. */
  at(place: Place): void;
  /** Runs `work`, whose lines stand one step deeper. */
  indented(work: () => void): void;
  toString(): string;
}

/** `lines` adds `#line` where the compiler, which counts on from the last one, would name another line. */
export function createOutput(files: readonly SourceFile[], lines: boolean): Output {
  const text: string[] = [];
  let depth = 1;
  /** What the compiler takes the next line for. */
  let counted = '';
  let line = 0;
  return {
    put(added) {
      const indented = '  '.repeat(depth) + added;
      text.push(indented);
      line += indented.split('\n').length;
    },
    at(place) {
      // The compiler copies the name into PTX without escapes.
      const name = files[place.file]!.name.replaceAll('"', "'")
        .replaceAll('\\', '/')
        .replace(/[\r\n]/g, ' ');
      if (!lines || (counted === name && line === place.line)) return;
      text.push(`#line ${place.line} "${name}"`);
      counted = name;
      line = place.line;
    },
    indented(work) {
      depth++;
      work();
      depth--;
    },
    toString: () => text.map(each => `${each}\n`).join('')
  };
}
