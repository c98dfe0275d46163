/**
 * Makes each cell a TypeScript module of its own. The cell's text stands at offset 0, so that positions need no
 * mapping; imports from earlier cells and the cell's exports follow in a suffix.
 */

import { cellLanguage } from '../../protocol/cell-language.ts';
import { declaredNames, type NameKind } from './cell-names.ts';

export interface CellModule {
  readonly file: string;
  readonly text: string;
}

interface KnownName {
  /** File of the latest cell that declares it. */
  readonly file: string;
  readonly kind: NameKind;
}

export const FILE_PREFIX = '__stridelab_cell_';

export class CellComposer {
  readonly #names = new Map<string, KnownName>();
  /** Cells with `declare global`, which act on every later cell. */
  readonly #global: string[] = [];
  #count = 0;

  /** The module of a cell that is being written. */
  draft(code: string): CellModule {
    return {
      file: `${FILE_PREFIX}draft.${cellLanguage(code)}`,
      text: this.#compose(code, declaredNames(code), () => true)
    };
  }

  /** The module of a cell that ran; its names are known from now on. */
  commit(code: string): CellModule {
    this.#count += 1;
    const file = `${FILE_PREFIX}${this.#count}.${cellLanguage(code)}`;
    const declared = declaredNames(code);
    const used = new Set(code.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu));
    const text = this.#compose(code, declared, name => used.has(name));
    for (const [name, kind] of declared) this.#names.set(name, { file, kind });
    if (/\bdeclare\s+global\b/.test(code)) this.#global.push(file);
    return { file, text };
  }

  #compose(code: string, declared: ReadonlyMap<string, NameKind>, wanted: (name: string) => boolean): string {
    const suffix: string[] = [];
    for (const [name, { file, kind }] of this.#names) {
      // A name declared anew has nothing of its old type.
      if (declared.has(name) || !wanted(name)) continue;
      suffix.push(
        kind === 'variable'
          ? // Imports are read-only.
            `declare let ${name}: typeof import("./${file}").${name};`
          : `import { ${name} } from "./${file}";`
      );
    }
    for (const file of this.#global) suffix.push(`import "./${file}";`);
    suffix.push(`export { ${[...declared.keys()].join(', ')} };`);
    return `${code}\n;${suffix.join('\n')}\n`;
  }
}
