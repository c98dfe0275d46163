/** Which modules of a notebook cannot be imported, as far as that is known before its cells run. */

import type * as acorn from 'acorn';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adviceOn } from '../../executor/modules/import-errors.ts';
import type { NotebookModules } from '../../executor/modules/notebook-modules.ts';
import { walk } from '../../executor/transform/syntax-walk.ts';
import type { Magic } from '../../protocol/magics.ts';
import { isRemote } from '../../protocol/remote-specifiers.ts';
import { filesFor } from '../../protocol/user-files.ts';
import type { CodeFinding } from './findings.ts';
import { importsBelow } from './local-files.ts';

interface Use {
  readonly node: acorn.AnyNode;
  readonly specifier: string;
  readonly required: boolean;
}

const INSTALLS = /^(?:npm\s+)?(?:install|i|add|ci)\b(.*)$/;

export class ModuleCheck {
  readonly #modules: NotebookModules;
  readonly #folder: string;
  readonly #installed = new Set<string>();
  readonly #written = new Set<string>();
  readonly #fetched = new Set<string>();
  /** The user's files whose imports were followed. */
  readonly #files = new Set<string>();

  constructor(modules: NotebookModules, folder: string) {
    this.#modules = modules;
    this.#folder = folder;
  }

  /** The remote modules so far, which are fetched when a cell imports them. */
  get fetched(): readonly string[] {
    return [...this.#fetched];
  }

  /** Notes the packages that a magic installs and the files that it writes. */
  plan({ kind, name, argument }: Magic): void {
    if (name === 'writefile') this.#written.add(resolve(this.#folder, argument.replace(/^-a\s+/, '')));
    if (kind === 'cell' || (name !== 'npm' && !argument.startsWith('npm '))) return;
    const words = INSTALLS.exec(argument)?.[1]
      ?.split(/\s+/)
      .filter(word => /^[^-]/.test(word));
    if (words === undefined) return;
    const packages = words.length > 0 ? words : dependenciesIn(join(this.#folder, 'package.json'));
    for (const each of packages) this.#installed.add(each.replace(/(?!^)@.*$/, ''));
  }

  /** Returns the imports of a cell that fail. */
  findings(program: acorn.Program): CodeFinding[] {
    return usesIn(program).flatMap(use => {
      const message = this.#problem(use);
      return message === undefined ? [] : [{ kind: 'module' as const, node: use.node, message }];
    });
  }

  #problem({ specifier, required }: Use): string | undefined {
    if (isRemote(specifier)) {
      this.#fetched.add(specifier);
      return undefined;
    }
    if (this.#isPlanned(specifier)) return undefined;
    try {
      const found = required ? this.#modules.require.resolve(specifier) : this.#modules.resolve(specifier);
      if (!/^file:|^\//.test(found)) return undefined;
      const path = found.startsWith('file:') ? fileURLToPath(found.replace(/[?#].*$/, '')) : found;
      // Node resolves paths and URLs of files whether they exist or not.
      return existsSync(path) ? this.#problemBelow(path) : missing(specifier);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return adviceOn(error)
        .split('\n')[0]!
        .replace(/ imported from .*?(?=\. To install|$)/, '');
    }
  }

  /** Returns the first import that fails in a file of the user, or in those below it. */
  #problemBelow(path: string): string | undefined {
    for (const { file, specifier, found } of importsBelow(path, this.#files)) {
      if (isRemote(specifier)) this.#fetched.add(specifier);
      else if (!found && !this.#isPlanned(specifier))
        return `${relative(this.#folder, file)}: ${missing(specifier)}`;
    }
    return undefined;
  }

  #isPlanned(specifier: string): boolean {
    if (/^\.{0,2}\//.test(specifier))
      return filesFor(resolve(this.#folder, specifier)).some(file => this.#written.has(file));
    const [packageName = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
    return this.#installed.has(packageName);
  }
}

function missing(specifier: string): string {
  return adviceOn(
    Object.assign(new Error(`Cannot find module '${specifier}'`), { code: 'MODULE_NOT_FOUND' })
  );
}

/** Returns what a cell imports by literals. */
function usesIn(program: acorn.Program): Use[] {
  const uses: Use[] = [];
  walk(program, node => {
    const source = sourceOf(node);
    if (source?.type === 'Literal' && typeof source.value === 'string')
      uses.push({ node: source, specifier: source.value, required: node.type === 'CallExpression' });
  });
  return uses;
}

/** Returns what names the module in an import or a call of `require`. */
function sourceOf(node: acorn.AnyNode): acorn.AnyNode | undefined {
  if (node.type === 'ImportDeclaration' || node.type === 'ImportExpression') return node.source;
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return undefined;
  return node.callee.name === 'require' ? node.arguments[0] : undefined;
}

function dependenciesIn(manifest: string): string[] {
  if (!existsSync(manifest)) return [];
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as Partial<
    Record<'dependencies' | 'devDependencies', object>
  >;
  return [...Object.keys(dependencies), ...Object.keys(devDependencies)];
}
