/** Gives the user's own files `Deno` if they name it, as cells have it. */

import * as acorn from 'acorn';
import { DENO } from '../../protocol/cell-modules.ts';
import { notePlace, topLevelScope } from '../transform/references.ts';
import { walk } from '../transform/syntax-walk.ts';

/** Returns the code of an ES module with an import of `Deno`, if it uses that without `typeof Deno`, which asks where it runs. */
export function withDeno(code: string): string {
  // A quick check, since most files do not.
  if (!/\bDeno\b/.test(code)) return code;
  const program = acorn.parse(code, { ecmaVersion: 'latest', sourceType: 'module', ranges: true });
  const uses = topLevelScope(program).through.filter(({ identifier }) => identifier.name === DENO);
  const asked = new Set<number>();
  walk(program, node =>
    notePlace({ asked, shorthands: new Set(), callees: new Set(), replaced: new Set() }, node)
  );
  const isAsked = uses.some(({ identifier }) => asked.has((identifier as unknown as acorn.Identifier).start));
  // At the end, where it moves no other text: imports are hoisted.
  return uses.length === 0 || isAsked ? code : `${code}\nimport { ${DENO} } from "stridelab/deno";\n`;
}
