/**
 * Makes each cell a TypeScript module of its own. The cell's text stands at offset 0, so that positions need no
 * mapping; imports from earlier cells and the cell's exports follow in a suffix.
 */

import { readCell, type CellFacts, type NameKind } from './cell-facts.ts';

export const FILE_PREFIX = '__stridelab_cell_';

export interface CellModule {
  readonly file: string;
  readonly code: string;
  readonly text: string;
  readonly facts: CellFacts;
  /** Files of earlier cells that this one imports. */
  readonly imports: ReadonlySet<string>;
}

interface KnownName {
  /** File of the latest cell that declares it. */
  readonly file: string;
  readonly kind: NameKind;
}

const WORDS = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

export class CellComposer {
  readonly #names = new Map<string, KnownName>();
  /** Modules that names come from, and those that these import. */
  readonly #modules = new Map<string, CellModule>();
  /** Cells that act on every later cell, by the text that acts: run again, a cell acts once. */
  readonly #augmenting = new Map<string, string>();
  #count = 0;

  /** The names that cells can use, with what they are. */
  get names(): ReadonlyMap<string, { readonly kind: NameKind }> {
    return this.#names;
  }

  /** A cell that begins to run, composed with the names that are there now. */
  begin(code: string): CellModule {
    const facts = readCell(code);
    this.#count += 1;
    // A cell that leaves nothing behind shares its document with others of its kind.
    const lasting = facts.declared.size > 0 || facts.augments;
    const used = new Set(code.match(WORDS));
    return this.#compose(lasting ? String(this.#count) : 'passing', code, facts, name => used.has(name));
  }

  /** A cell that is being written: knows the names it uses, and those that go on from the word at `cursor`. */
  draft(code: string, cursor: number): CellModule {
    const used = new Set(code.match(WORDS));
    const prefix = namePrefix(code, cursor)?.toLowerCase();
    return this.#compose(
      'draft',
      code,
      readCell(code, cursor),
      name => used.has(name) || (prefix !== undefined && name.toLowerCase().startsWith(prefix))
    );
  }

  /**
   * Makes the names of a cell that ran known; `assigned` are those that exist where the cell did not come to its end.
   * Gives the files that nothing needs any more.
   */
  commit(module: CellModule, assigned?: ReadonlySet<string>): readonly string[] {
    const { file, facts } = module;
    this.#modules.set(file, module);
    for (const [name, { kind, erased }] of facts.declared) {
      if (erased || assigned === undefined || assigned.has(name)) this.#names.set(name, { file, kind });
    }
    if (facts.augments) this.#augmenting.set(module.code, file);
    return this.#prune();
  }

  /** Files of the cells that a module needs, each after those it needs itself. */
  dependencies(module: CellModule): readonly string[] {
    const found = new Set<string>();
    this.#reach(module.imports, found);
    return [...found];
  }

  module(file: string): CellModule | undefined {
    return this.#modules.get(file);
  }

  #reach(files: Iterable<string>, found: Set<string>): void {
    const waiting = [...files];
    const seen = new Set(waiting);
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      for (const next of this.#modules.get(file)?.imports ?? []) {
        if (!seen.has(next)) waiting.push(next);
        seen.add(next);
      }
    }
    // In the order in which the cells ran, which is the order of their imports too.
    for (const file of this.#modules.keys()) if (seen.has(file)) found.add(file);
  }

  #prune(): readonly string[] {
    const needed = new Set<string>();
    this.#reach([...[...this.#names.values()].map(({ file }) => file), ...this.#augmenting.values()], needed);
    const unneeded = [...this.#modules.keys()].filter(file => !needed.has(file));
    for (const file of unneeded) this.#modules.delete(file);
    return unneeded;
  }

  #compose(label: string, code: string, facts: CellFacts, wanted: (name: string) => boolean): CellModule {
    const suffix: string[] = [];
    const imports = new Set<string>();
    for (const [name, { file, kind }] of this.#names) {
      // A name declared anew has nothing of its old type.
      if (facts.declared.has(name) || !wanted(name)) continue;
      imports.add(file);
      suffix.push(
        kind === 'variable'
          ? // Imports are read-only.
            `declare let ${name}: typeof import("./${file}").${name};`
          : `import { ${name} } from "./${file}";`
      );
    }
    for (const [text, file] of this.#augmenting) {
      if (text === code) continue;
      imports.add(file);
      suffix.push(`import "./${file}";`);
    }
    const exports = [...facts.declared.keys()].filter(name => !facts.exported.has(name));
    suffix.push(`export { ${exports.join(', ')} };`);
    const file = `${FILE_PREFIX}${label}.${facts.dialect}`;
    return { file, code, text: `${code}\n;${suffix.join('\n')}\n`, facts, imports };
  }
}

/** The beginning of the name that is being written; undefined where members or strings are. */
function namePrefix(code: string, cursor: number): string | undefined {
  const [before = '', word = ''] = splitAtWord(code.slice(0, cursor));
  return /\.\s*$/.test(before) && !/\.\.\.\s*$/.test(before) ? undefined : word;
}

function splitAtWord(text: string): [string, string] {
  const word = /[\p{ID_Continue}$]*$/u.exec(text)![0];
  return [text.slice(0, text.length - word.length), word];
}
