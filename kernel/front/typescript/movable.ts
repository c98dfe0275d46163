/** Decides whether a cell means the same in any folder. */

import { isBuiltin } from 'node:module';
import { CELL_MODULES } from '../../protocol/cell-modules.ts';
import type { CellModule } from './composer.ts';

/** Packages are resolved from the file's own folder, relative modules from the notebook's. */
export function isMovable({ code, facts }: CellModule): boolean {
  // `import("…")` in a type is not in the list of modules.
  if (facts.augments || /\bimport\s*\(/.test(code)) return false;
  return facts.modules.every(
    module => /^\.{0,2}\//.test(module) || isBuiltin(module) || Object.hasOwn(CELL_MODULES, module)
  );
}
