/**
 * Takes the types out of a file and leaves all else where it stands, so that debuggers and stack traces need no map.
 * That is possible for most TypeScript; enums, namespaces and JSX have to be compiled.
 */

import { stripTypeScriptTypes } from 'node:module';
import { parseSync } from 'oxc-parser';

type ImportDeclaration = Extract<
  ReturnType<typeof parseSync>['program']['body'][number],
  { type: 'ImportDeclaration' }
>;

/** `printed` is the file as the fast path prints it, without imports of types. Undefined where more than types must go. */
export function eraseTypes(source: string, printed: string): string | undefined {
  try {
    return stripTypeScriptTypes(blankTypeImports(source, printed), { mode: 'strip' });
  } catch {
    return undefined;
  }
}

/** Imports that need not say `type` are known by their absence in what was printed. */
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
