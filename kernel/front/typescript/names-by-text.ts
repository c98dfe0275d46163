/** Finds the names that a cell declares if no parser accepts its text. */

import type { DeclaredName, NameKind } from './cell-facts.ts';

const DECLARATION =
  /(?:^|[;}\n])[^\S\n]*(?:export\s+)?(?:declare\s+)?(?:abstract\s+|async\s+)?(const\s+enum|const|let|var|function\s*\*?|class|enum|interface|type|namespace)\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu;

const KINDS: Readonly<Record<string, NameKind>> = {
  const: 'constant',
  let: 'variable',
  var: 'variable',
  function: 'function',
  class: 'class',
  enum: 'enum',
  interface: 'type',
  type: 'type',
  namespace: 'namespace'
};

export function namesByText(code: string): Map<string, DeclaredName> {
  const names = new Map<string, DeclaredName>();
  for (const match of code.matchAll(DECLARATION)) {
    // Deeper declarations belong to another scope.
    if (depthAt(code, match.index) > 0) continue;
    const keyword = match[1]!
      .replace(/\s*\*$/, '')
      .split(/\s+/)
      .at(-1)!;
    const kind = KINDS[keyword] ?? 'constant';
    names.set(match[2]!, { kind, erased: kind === 'type' });
  }
  return names;
}

function depthAt(code: string, end: number): number {
  let depth = 0;
  for (const [bracket] of code.slice(0, end).matchAll(/[{}]/g)) depth += bracket === '{' ? 1 : -1;
  return depth;
}
