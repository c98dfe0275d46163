/** Turns cells into TypeScript modules: the cell's text at offset 0, then imports from earlier cells and the cell's exports. */

import { isBuiltin } from 'node:module';
import { inserted, type Insertion } from '../../../src/kernels/source/insertions.ts';
import { CELL_GLOBALS, cellModule } from '../../protocol/cell-modules.ts';
import { importedJsxSource, nextJsxSource } from '../../protocol/jsx-source.ts';
import { objectParentheses } from '../../protocol/object-cell.ts';
import { remoteMentions } from '../../protocol/remote-specifiers.ts';
import type { CompilerOptions } from '../../protocol/tsconfig.ts';
import { readCell, type CellFacts, type NameKind } from './cell-facts.ts';
import { isRelaxed } from './relaxed-checks.ts';
import { wordStart } from './text-positions.ts';

export const FILE_PREFIX = '__stridelab_cell_';

export interface CellModule {
  readonly file: string;
  readonly code: string;
  /** Lines of the document before `text`; empty, or ends with a line end. */
  readonly header: string;
  readonly text: string;
  /** Parentheses that `text` has and `code` has not: the cell is an object literal. */
  readonly parentheses: readonly Insertion[];
  readonly facts: CellFacts;
  /** Files of earlier cells that this one imports. */
  readonly imports: ReadonlySet<string>;
  /** Specifiers of modules whose types may be in the cache of imports. */
  readonly remote: readonly string[];
}

interface KnownName {
  /** File of the latest cell that declares the name. */
  readonly file: string;
  readonly kind: NameKind;
}

/** Names of globals of cells that the DOM has too: as imports they are the cells' own. */
const SHARED_WITH_DOM = ['alert', 'confirm', 'prompt'] as const;

const WORDS = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

export class CellComposer {
  readonly #names = new Map<string, KnownName>();
  /** Modules that current names come from, and the modules that these import. */
  readonly #modules = new Map<string, CellModule>();
  /** Cells that affect every later cell, by their text: a cell that is run again counts once. */
  readonly #augmenting = new Map<string, string>();
  /** Cells that run or are being checked, whose imports must be kept. */
  readonly #held = new Map<CellModule, number>();
  /** Members that cells assigned, as in `CellFacts`. */
  readonly #members = new Set<string>();
  /** Whose JSX the cells have, if they imported it. */
  #jsxSource: string | undefined;
  #count: number;

  /** Constructs the composer. `count` is the number of earlier cells: no two cells of a session share a file name. */
  constructor(count = 0) {
    this.#count = count;
  }

  get count(): number {
    return this.#count;
  }

  get names(): ReadonlyMap<string, { readonly kind: NameKind }> {
    return this.#names;
  }

  /** Composes a cell that starts to run, with the current names and the user's options. It is held until it is committed or dropped. */
  begin(code: string, options: CompilerOptions = {}): CellModule {
    const parentheses = objectParentheses(code);
    const facts = readCell(inserted(code, parentheses), { javaScript: isRelaxed(options) });
    this.#count += 1;
    const used = new Set(code.match(WORDS));
    const label = lasts(facts) ? String(this.#count) : 'passing';
    const module = this.#compose(label, code, facts, options, name => used.has(name), parentheses);
    this.#held.set(module, 1);
    return module;
  }

  /** Keeps the imports of the module until the returned function is called. */
  hold(module: CellModule): () => void {
    this.#held.set(module, (this.#held.get(module) ?? 0) + 1);
    return () => this.drop(module);
  }

  drop(module: CellModule): void {
    const count = (this.#held.get(module) ?? 0) - 1;
    if (count > 0) this.#held.set(module, count);
    else this.#held.delete(module);
  }

  /** Returns whether the document of a module is still of use: the cell runs or is being checked, or later cells import it. */
  needs(module: CellModule): boolean {
    const { file, facts } = module;
    return this.#held.has(module) || this.#modules.get(file) === module || !lasts(facts);
  }

  /** Composes a cell that is being edited, with the names that it uses and those that complete the word at `cursor`. */
  draft(code: string, cursor: number, options: CompilerOptions = {}): CellModule {
    const used = new Set(code.match(WORDS));
    const prefix = namePrefix(code, cursor)?.toLowerCase();
    return this.#compose(
      'draft',
      code,
      readCell(code, { cursor, javaScript: isRelaxed(options) }),
      options,
      name => used.has(name) || (prefix !== undefined && name.toLowerCase().startsWith(prefix))
    );
  }

  /** Makes the names of a cell known after it ran; `assigned` lists those that exist if it did not complete. */
  commit(module: CellModule, assigned?: ReadonlySet<string>): void {
    const { file, facts } = module;
    this.drop(module);
    this.#jsxSource = nextJsxSource(this.#jsxSource, facts.jsxImports, assigned);
    for (const name of facts.members) this.#members.add(name);
    if (!lasts(facts)) return;
    this.#modules.set(file, module);
    for (const [name, { kind, erased }] of facts.declared) {
      if (erased || assigned === undefined || assigned.has(name)) this.#names.set(name, { file, kind });
    }
    if (facts.augments) this.#augmenting.set(module.code, file);
  }

  /** Forgets the cells that are no longer needed, and returns their files. */
  prune(): readonly string[] {
    const roots = [...[...this.#names.values()].map(({ file }) => file), ...this.#augmenting.values()];
    // A cell may have ended without its names while the checker still reads it.
    for (const { file, imports } of this.#held.keys()) roots.push(file, ...imports);
    const needed = this.#reach(roots);
    const unneeded = [...this.#modules.keys()].filter(file => !needed.has(file));
    for (const file of unneeded) this.#modules.delete(file);
    return unneeded;
  }

  /** Returns the cell of a file; undefined once the cell is no longer needed. */
  module(file: string): CellModule | undefined {
    return this.#modules.get(file);
  }

  /** Returns what the names in a module are that it and earlier cells import from Stridelab, as in `CellFacts`. */
  library({ facts }: CellModule): ReadonlyMap<string, string> {
    const found = new Map(facts.library);
    for (const [name, { file }] of this.#names) {
      const imported = this.#modules.get(file)?.facts.library.get(name);
      if (imported !== undefined && !facts.declared.has(name)) found.set(name, imported);
    }
    return found;
  }

  /** Returns the members that a module and earlier cells assign, as in `CellFacts`. */
  members({ facts }: CellModule): ReadonlySet<string> {
    return this.#members.union(facts.members);
  }

  modules(): string[] {
    return [...this.#modules.values()].flatMap(({ facts }) => facts.modules);
  }

  /** Returns the files of the cells that a module needs, each after its own dependencies. */
  dependencies({ imports }: CellModule): readonly string[] {
    const needed = this.#reach(imports);
    // In the order in which the cells ran, which is also that of their imports.
    return [...this.#modules.keys()].filter(file => needed.has(file));
  }

  #reach(files: Iterable<string>): Set<string> {
    const seen = new Set(files);
    const waiting = [...seen];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      for (const next of this.#modules.get(file)?.imports ?? []) {
        if (!seen.has(next)) waiting.push(next);
        seen.add(next);
      }
    }
    return seen;
  }

  #compose(
    label: string,
    code: string,
    facts: CellFacts,
    options: CompilerOptions,
    wanted: (name: string) => boolean,
    parentheses: readonly Insertion[] = []
  ): CellModule {
    const suffix: string[] = [];
    const imports = new Set<string>();
    for (const [name, { file, kind }] of this.#names) {
      // A redeclared name has only its new type.
      if (facts.declared.has(name) || !wanted(name)) continue;
      imports.add(file);
      suffix.push(
        kind === 'variable'
          ? // Imports are read-only.
            `declare let ${name}: typeof import("./${file}").${name};`
          : `import { ${name} } from "./${file}";`
      );
    }
    for (const name of SHARED_WITH_DOM) {
      if (facts.declared.has(name) || this.#names.has(name) || !wanted(name)) continue;
      suffix.push(`import { ${name} } from "${CELL_GLOBALS[name]}";`);
    }
    for (const [text, file] of this.#augmenting) {
      if (text === code) continue;
      imports.add(file);
      suffix.push(`import "./${file}";`);
    }
    const exports = [...facts.declared.keys()].filter(name => !facts.exported.has(name));
    suffix.push(`export { ${exports.join(', ')} };`);
    // If x.ts and x.tsx exist, the server includes only the first in its project.
    const file = `${FILE_PREFIX}${label}_${facts.dialect}.${facts.dialect}`;
    const jsx = importedJsxSource(options, this.#jsxSource, facts.jsxImports);
    const isElement = facts.dialect.endsWith('x') && !/@jsx/.test(code);
    const header = jsx !== undefined && isElement ? `/** @jsxImportSource ${jsx} */\n` : '';
    const text = `${inserted(code, parentheses)}\n;${suffix.join('\n')}\n`;
    // The header makes the cell import the runtime of its JSX.
    const remote = [...remoteMentions(code), ...(header === '' ? [] : [`${jsx}/jsx-runtime`])];
    return { file, code, header, text, parentheses, facts, imports, remote };
  }
}

/** Returns whether a cell means the same in any folder: packages are resolved from the file's own folder. */
export function isMovable({ code, facts }: CellModule): boolean {
  // `import("…")` in a type is not in the list of modules.
  // Elements import the package of their JSX.
  if (facts.augments || facts.dialect.endsWith('x') || /\bimport\s*\(/.test(code)) return false;
  return facts.modules.every(
    module => /^\.{0,2}\//.test(module) || isBuiltin(module) || cellModule(module) !== undefined
  );
}

/** Returns whether later cells need the cell; other cells of a dialect share one document. */
function lasts({ declared, augments }: CellFacts): boolean {
  return declared.size > 0 || augments;
}

/** Returns the prefix of the name that is being typed; undefined in members and strings. */
function namePrefix(code: string, cursor: number): string | undefined {
  const start = wordStart(code, cursor);
  return /(?<!\.\.)\.\s*$/.test(code.slice(0, start)) ? undefined : code.slice(start, cursor);
}
