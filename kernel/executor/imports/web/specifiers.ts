/** The specifiers in a module from the web. */

import { parseSync } from '../../../protocol/oxc.ts';
import { isDeclaration, type ModuleEnding } from './media.ts';

interface Found {
  readonly value: string;
  /** Offsets of the text between the quotes. */
  readonly start: number;
  readonly end: number;
}

/** In declarations, imports are also types, and comments name files. */
const IN_DECLARATIONS =
  /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*|\/\/\/\s*<reference\s+(?:path|types)\s*=\s*)(["'])(?<value>[^"'\n]+)\1/g;

/** Returns the specifiers that a module imports, as far as they are literals. */
export function specifiersIn(text: string, ending: ModuleEnding): readonly string[] {
  return [...new Set(find(text, ending).map(({ value }) => value))];
}

/** Replaces specifiers that begin with a slash by URLs: on disk they would be paths of the file system. */
export function withUrls(text: string, ending: ModuleEnding, url: string): string {
  let result = text;
  for (const { value, start, end } of find(text, ending).reverse()) {
    if (value.startsWith('/')) result = result.slice(0, start) + new URL(value, url).href + result.slice(end);
  }
  return result;
}

function find(text: string, ending: ModuleEnding): Found[] {
  if (ending === '.json') return [];
  if (isDeclaration(ending)) {
    return [...text.matchAll(IN_DECLARATIONS)].map(match => {
      const { value = '' } = match.groups ?? {};
      const end = match.index + match[0].length - 1;
      return { value, start: end - value.length, end };
    });
  }
  const { module } = parseSync(`module${ending}`, text, { sourceType: 'module' });
  const requests = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest),
    ...module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest)),
    ...module.dynamicImports.map(({ moduleRequest }) => moduleRequest)
  ];
  const found = new Map<number, Found>();
  for (const request of requests) {
    if (request === null) continue;
    // A dynamic import may be of any expression.
    const [, value] =
      /^(?:"([^"\\\n]*)"|'([^'\\\n]*)')$/
        .exec(text.slice(request.start, request.end))
        ?.filter(part => part !== undefined) ?? [];
    if (value !== undefined) {
      found.set(request.start, { value, start: request.start + 1, end: request.end - 1 });
    }
  }
  return [...found.values()].sort((a, b) => a.start - b.start);
}
