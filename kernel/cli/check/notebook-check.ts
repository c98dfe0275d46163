/** Checks the cells of a notebook, in the process's folder, without running them. */

import type { Position } from '../../executor/transform/positions.ts';
import { CellSources } from '../../executor/context/cell-sources.ts';
import { MagicError } from '../../executor/magics/magic.ts';
import { magicName } from '../../executor/magics/known-magics.ts';
import { defineCellGlobals, resolveOwnLibrary } from '../../executor/modules/module-hooks.ts';
import { NotebookModules } from '../../executor/modules/notebook-modules.ts';
import { compileCell } from '../../executor/transform/compile-cell.ts';
import { NotebookNames } from '../../executor/transform/names.ts';
import { CellSyntaxError, positionAt } from '../../executor/transform/positions.ts';
import { toJavaScript } from '../../executor/transform/to-javascript.ts';
import { DENO } from '../../protocol/cell-modules.ts';
import { parseMagics } from '../../protocol/magics.ts';
import { TsConfigReader, type CompilerOptions } from '../../protocol/tsconfig.ts';
import { sourceOf, type Document } from '../run/notebook-file.ts';
import { denoFindings } from './deno-members.ts';
import type { Finding, NotebookFindings } from './findings.ts';
import { ModuleCheck } from './module-check.ts';
import { nameFindings } from './free-names.ts';

interface Found extends Pick<Finding, 'kind' | 'message'> {
  readonly place: Position;
  /** The name that is not defined, unless a later cell declares it. */
  readonly name?: string;
}

/** The comment with which tslab makes a cell a module, or code for the page. */
const TSLAB_TAG = /^\s*\/\*\*(?:(?!\*\/)[^])*?@(module|browser)\b/;

export function checkNotebook({ notebook, origins }: Document): NotebookFindings {
  resolveOwnLibrary();
  defineCellGlobals();
  const cells = new CellSources();
  const config = new TsConfigReader(cells.folder);
  const check = new NotebookCheck(
    new ModuleCheck(new NotebookModules(cells, config, noSchemes), cells.folder)
  );
  const code = notebook.cells.filter(cell => cell.cell_type === 'code');
  const findings = code.flatMap((cell, index) => {
    const offset = (origins.get(cell)?.line ?? 1) - 1;
    return check.cell(sourceOf(cell), config.read().compilerOptions).map(found => ({ found, index, offset }));
  });
  return {
    cells: code.length,
    findings: findings
      .filter(({ found }) => found.name === undefined || !check.isDeclared(found.name))
      .map(({ found: { kind, message, place }, index, offset }) => ({
        cell: index + 1,
        line: place.line + offset,
        column: place.column + 1,
        kind,
        message
      })),
    fetched: check.modules.fetched
  };
}

/** Remote modules are listed, not fetched. */
const noSchemes = (): Promise<[]> => Promise.resolve([]);

class NotebookCheck {
  readonly modules: ModuleCheck;
  readonly #names = new NotebookNames();

  constructor(modules: ModuleCheck) {
    this.modules = modules;
  }

  /** Returns whether a name is declared so far: functions may use names of later cells. */
  isDeclared(name: string): boolean {
    return this.#names.has(name);
  }

  cell(source: string, options: CompilerOptions): Found[] {
    const { code, magics } = parseMagics(source, word => this.#names.has(word) || word in globalThis);
    const found: Found[] = [];
    for (const magic of magics) {
      this.modules.plan(magic);
      try {
        magicName(magic);
      } catch (error) {
        if (!(error instanceof MagicError)) throw error;
        found.push({ kind: 'magic', message: error.message, place: positionAt(source, magic.start) });
      }
    }
    const tag = TSLAB_TAG.exec(source)?.[1];
    if (tag !== undefined) {
      const message = `@${tag} has no effect: in tslab it makes the cell ${tag === 'module' ? 'a module; %%writefile NAME.ts writes one' : 'code for the page'}`;
      found.push({ kind: 'tag', message, place: positionAt(source, source.indexOf(`@${tag}`)) });
    }
    return [...found, ...this.#code(code, options)];
  }

  #code(code: string, options: CompilerOptions): Found[] {
    try {
      const { program, map } = toJavaScript(code, options, { file: 'Cell', line: 1 }, new Set());
      compileCell(code, this.#names, options);
      const found = [
        ...this.modules.findings(program),
        ...(this.#names.has(DENO) ? [] : denoFindings(program)),
        ...nameFindings(program).filter(({ name }) => name !== DENO && !(name in globalThis))
      ];
      return found
        .sort((a, b) => a.node.start - b.node.start)
        .map(({ node, ...rest }) => ({
          ...rest,
          place: map.strippedToSource(positionAt(map.strippedCode, node.start))
        }));
    } catch (error) {
      if (!(error instanceof CellSyntaxError)) throw error;
      return [{ kind: 'syntax', message: error.message, place: error.position }];
    }
  }
}
