/** Finds the headers that a source includes; their texts are part of the cache key. */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const DIRECTIVE = /^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>|(\S+))/gm;

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // not in this folder
  }
}

/** Returns the include folders in the options of NVRTC, in order. */
export function foldersOf(options: readonly string[]): string[] {
  return options.flatMap((option, index) => {
    const joined = /^(?:--include-path=|-I)\s*(.+)$/.exec(option)?.[1];
    if (joined !== undefined) return [joined];
    return option === '-I' || option === '--include-path' ? options.slice(index + 1, index + 2) : [];
  });
}

/** Returns the headers that options include before the source. */
function forced(options: readonly string[]): string[] {
  return options.flatMap(option => /^(?:--pre-include=|-include=)(.+)$/.exec(option)?.[1] ?? []);
}

/** Reads every header that the source may include, except the compiler's own. Null if a macro builds the name of one. */
export function includedTexts(source: string, options: readonly string[]): string[] | null {
  const folders = foldersOf(options);
  const texts = new Map<string, string>();
  let known = true;
  const visit = (text: string, own: string): void => {
    for (const [, quoted, bracketed, computed] of text.matchAll(DIRECTIVE)) {
      if (computed !== undefined) known = false;
      else if (quoted !== undefined) find(quoted, [own, ...folders]);
      else find(bracketed!, folders);
    }
  };
  const find = (name: string, places: readonly string[]): void => {
    for (const folder of places) {
      const path = name.startsWith('/') ? name : join(folder, name);
      if (texts.has(path)) return;
      const text = read(path);
      if (text === undefined) continue;
      texts.set(path, text);
      return visit(text, dirname(path));
    }
  };
  for (const name of forced(options)) find(name, ['.', ...folders]);
  visit(source, '.');
  return known ? [...texts].flat() : null;
}
