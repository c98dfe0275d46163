/** Removes types from a file without moving other text, so that it needs no map. Enums, namespaces and JSX must be compiled. */

import { stripTypeScriptTypes } from 'node:module';
import { parseSync } from '../../protocol/oxc.ts';

type ImportDeclaration = Extract<
  ReturnType<typeof parseSync>['program']['body'][number],
  { type: 'ImportDeclaration' }
>;

/** Returns the code without types; undefined if erasing is not enough. `printed`: the fast path's output, without type imports. */
export function eraseTypes(source: string, printed: string): string | undefined {
  try {
    return stripTypeScriptTypes(blankTypeImports(source, printed), { mode: 'strip' });
  } catch {
    return undefined;
  }
}

/** Blanks type imports. Those without the word `type` are recognized by their absence from the printed code. */
function blankTypeImports(source: string, printed: string): string {
  const declarations = importsOf('module.ts', source).filter(({ importKind }) => importKind !== 'type');
  if (declarations.length === 0) return source;
  const kept = new Set(
    importsOf('module.js', printed).flatMap(({ specifiers }) => specifiers.map(({ local }) => local.name))
  );
  let text = source;
  for (const { start, end, specifiers } of declarations) {
    const gone = specifiers.filter(({ local }) => !kept.has(local.name));
    if (specifiers.length > 0 && gone.length === specifiers.length) text = blank(text, start, end);
    else for (const specifier of gone) text = blank(text, specifier.start, afterComma(source, specifier.end));
  }
  return text;
}

function importsOf(file: string, text: string): ImportDeclaration[] {
  const { program } = parseSync(file, text, { sourceType: 'module' });
  return program.body.filter(node => node.type === 'ImportDeclaration');
}

function afterComma(text: string, end: number): number {
  return end + (/^\s*,/.exec(text.slice(end))?.[0].length ?? 0);
}

function blank(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(start, end).replace(/[^\n\r]/g, ' ') + text.slice(end);
}
