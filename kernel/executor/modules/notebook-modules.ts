/** The modules of one notebook: the hooks that load them, and their sources for stack traces. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TsConfigReader } from '../../protocol/tsconfig.ts';
import { currentSignal } from '../context/cell-context.ts';
import type { CellPlace, CellSources } from '../context/cell-sources.ts';
import type { Position } from '../transform/positions.ts';
import { hookModules, ownFile } from './hooks.ts';
import { located } from './import-errors.ts';
import { isLocal, LocalModules } from './local-modules.ts';
import { RemoteImports, type RemoteHost } from './remote-imports.ts';
import type { RemoteScheme } from './remote-scheme.ts';
import { StoppedImports } from './stopped-imports.ts';
import { TypeScriptModules } from './typescript-modules.ts';

/** The signal of code whose cell cannot be interrupted any more. */
const NEVER = new AbortController().signal;

export class NotebookModules {
  readonly #folder: string;
  readonly #remote: RemoteImports;
  readonly #local = new LocalModules();
  readonly #stopped = new StoppedImports();
  readonly #typescript = new TypeScriptModules(path => this.#label(path));
  /** `require` of the cells. */
  readonly require: NodeJS.Require;
  readonly #resolver: string;

  /** Constructs the modules. `schemes` loads the schemes of remote modules. */
  constructor(cells: CellSources, config: TsConfigReader, schemes: RemoteHost['schemes']) {
    this.#folder = cells.folder;
    this.#remote = new RemoteImports({
      schemes,
      ownFile: (specifier, importer) => ownFile(config.read(), specifier, importer),
      get mapsNames() {
        const { paths, baseUrl } = config.read().compilerOptions;
        return paths !== undefined || baseUrl !== undefined;
      }
    });
    const requiring = join(cells.folder, 'notebook.js');
    this.#resolver = join(cells.folder, 'notebook-resolver.mjs');
    hookModules({
      local: this.#local,
      remote: this.#remote,
      stopped: this.#stopped,
      typescript: this.#typescript,
      resolver: this.#resolver,
      config: () => config.read(),
      isCell: path => path === requiring || path === this.#resolver || cells.has(path)
    });
    cells.files = { find: (file, position) => this.#find(file, position) };
    this.require = this.#requireFrom(requiring);
  }

  /** Loads the schemes of remote modules. */
  readonly schemes = (): Promise<readonly RemoteScheme[]> => this.#remote.schemes();

  /** `import.meta.resolve` of the cells. */
  readonly resolve = (specifier: string): string => {
    const { default: resolve } = this.require(this.#resolver) as { default: (specifier: string) => string };
    return resolve(specifier);
  };

  /** Imports a module for the kernel, as a cell would. */
  readonly import = async (specifier: string): Promise<object> => {
    await this.#remote.prepareImport(specifier, this.#resolver, currentSignal() ?? NEVER);
    return import(this.resolve(specifier)) as Promise<object>;
  };

  /** Called when a cell has ended: the next one checks its imports again. */
  settle(failed: boolean): void {
    this.#local.settle(failed);
    this.#stopped.settle(failed);
  }

  /** Prepares the remote modules that a cell needs before it runs; undefined if there are none. */
  prepare(code: string): Promise<void> | undefined {
    return this.#remote.prepareCell(code, this.#resolver, currentSignal() ?? NEVER);
  }

  /** Returns the `import` of a cell, for its own function that contains the expression. */
  readonly module =
    <Module>(load: (specifier: string, options?: ImportCallOptions) => Promise<Module>) =>
    (specifier: string, options?: ImportCallOptions): Promise<Module> => {
      // Any value can be imported: `import` converts it to text.
      const preparing =
        typeof specifier === 'string'
          ? this.#remote.prepareImport(specifier, this.#resolver, currentSignal() ?? NEVER)
          : undefined;
      const loading =
        preparing === undefined ? load(specifier, options) : preparing.then(() => load(specifier, options));
      this.#stopped.follow(loading);
      return located(loading);
    };

  /** Returns a `require` that checks the disk: Node caches resolved files without calling the hooks again. */
  #requireFrom(file: string): NodeJS.Require {
    const require = createRequire(file);
    const refreshing = (specifier: string): unknown => {
      this.#local.refresh();
      return require(specifier);
    };
    const { resolve, cache, extensions, main } = require;
    return Object.assign(refreshing, { resolve, cache, extensions, main });
  }

  #label(path: string): string {
    return path.startsWith(this.#folder + sep) ? relative(this.#folder, path) : path;
  }

  /** Returns the place in a file of the user, or in TypeScript from the web; null in packages and JavaScript from the web. */
  #find(file: string, position: Position): CellPlace | null {
    const typescript = this.#typescript.find(file, position);
    const path = file.startsWith('file:') ? fileURLToPath(file) : file;
    const isUsers = path.startsWith(sep) && isLocal(path);
    if (!isUsers && (typescript === undefined || !URL.canParse(path))) return null;
    const found = typescript === undefined ? position : typescript.position;
    const source = typescript?.source ?? textOf(path);
    return {
      cell: { label: this.#label(path), source, isFile: true, toSource: () => found },
      position: found
    };
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
