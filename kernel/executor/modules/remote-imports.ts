/** Prepares the remote modules that cells and the user's own modules import, and resolves their specifiers. */

import { readFileSync } from 'node:fs';
import { cellLanguage } from '../../protocol/cell-language.ts';
import { namedModules, type NamedModule } from '../../protocol/module-specifiers.ts';
import { isRemote, jsxRuntimes, remoteMentions } from '../../protocol/remote-specifiers.ts';
import { stampOf } from '../../protocol/user-files.ts';
import { RemoteImportError, type RemoteScheme, type RemoteTarget } from './remote-scheme.ts';
import { isJavaScript, isTypeScript } from './typescript-modules.ts';

interface Needed {
  readonly specifier: string;
  /** Whether the code cannot start without the module. */
  readonly required: boolean;
  /** Offset of the import in the cell. */
  readonly start: number | undefined;
}

interface KnownFile {
  readonly stamp: string;
  readonly modules: readonly NamedModule[];
}

/** A literal that may name a file. */
const PATH = /["'`]\.{0,2}\//;

export interface RemoteHost {
  /** Loads the schemes, at the first remote import. */
  schemes(): Promise<readonly RemoteScheme[]>;
  /** Returns the user's own file that a specifier names; undefined if it names none. */
  ownFile(specifier: string, importer: string): string | undefined;
  /** Whether names of packages may be mapped to the user's own files. */
  readonly mapsNames: boolean;
}

export class RemoteImports {
  readonly #host: RemoteHost;
  #schemes: readonly RemoteScheme[] | undefined;
  readonly #files = new Map<string, KnownFile>();
  /** Messages about modules that code may never need, for the errors if it does. */
  readonly #failures = new Map<string, string>();

  constructor(host: RemoteHost) {
    this.#host = host;
  }

  /** Loads the schemes. */
  async schemes(): Promise<readonly RemoteScheme[]> {
    return (this.#schemes ??= await this.#host.schemes());
  }

  /** Prepares what a cell needs before it runs; returns undefined if that is nothing. `import()` prepares for itself. */
  prepareCell(code: string, file: string, signal: AbortSignal): Promise<void> | undefined {
    // Most cells need no parsing.
    if (!PATH.test(code) && remoteMentions(code).length === 0 && !this.#host.mapsNames) return undefined;
    const runtimes = jsxRuntimes(code).map(runtime => ({ ...runtime, kind: 'static' as const }));
    const imports = namedModules(code, cellLanguage(code)).filter(({ kind }) => kind !== 'dynamic');
    const named = [...imports, ...runtimes];
    return this.#prepareAll(this.#reach(named, file, named), signal);
  }

  /** Prepares what `import(specifier)` needs; returns undefined if that is nothing. */
  prepareImport(specifier: string, file: string, signal: AbortSignal): Promise<void> | undefined {
    const named: NamedModule = { specifier, kind: 'static', start: 0 };
    return this.#prepareAll(this.#reach([named], file, []), signal);
  }

  /** Returns what Node resolves in place of a specifier; undefined if the specifier is not remote. */
  resolve(specifier: string, parent: string): RemoteTarget | undefined {
    for (const scheme of this.#schemes ?? []) {
      const target = scheme.resolve(specifier, parent);
      if (target !== undefined) return target;
    }
    if (!isRemote(specifier) || this.#schemes?.some(scheme => scheme.takes(specifier)) === false)
      return undefined;
    const message =
      this.#failures.get(specifier) ??
      `${specifier} was not prepared before this code ran: import it with a literal specifier, or with await import() in a cell`;
    throw new RemoteImportError(message, specifier);
  }

  /** Returns the file of a module that keeps the URL of its scheme; undefined for other modules. */
  file(url: string): string | undefined {
    for (const scheme of this.#schemes ?? []) {
      const file = scheme.file?.(url);
      if (file !== undefined) return file;
    }
    return undefined;
  }

  /** Returns the remote modules that `modules` and the user's files below them name. `inCell`: those that have a place in the cell. */
  #reach(modules: readonly NamedModule[], file: string, inCell: readonly NamedModule[]): Needed[] {
    const needed: Needed[] = [];
    const seen = new Set<string>();
    const visit = (named: NamedModule, importer: string, required: boolean, start?: number): void => {
      const { specifier, kind } = named;
      const certain = required && kind === 'static';
      if (isRemote(specifier)) {
        needed.push({ specifier, required: certain, start });
        return;
      }
      const path = this.#host.ownFile(specifier, importer);
      if (path === undefined || seen.has(path)) return;
      seen.add(path);
      for (const next of this.#modulesOf(path)) visit(next, path, certain, start);
    };
    // Static imports first: what they need is then known to be required.
    const ordered = [...modules].sort((a, b) => Number(b.kind === 'static') - Number(a.kind === 'static'));
    for (const named of ordered) visit(named, file, true, inCell.includes(named) ? named.start : undefined);
    return needed;
  }

  #modulesOf(path: string): readonly NamedModule[] {
    if (!isTypeScript(path) && !isJavaScript(path)) return [];
    const stamp = stampOf(path);
    const known = this.#files.get(path);
    if (known?.stamp === stamp) return known.modules;
    const modules = namedModules(readFileSync(path, 'utf8'), path.endsWith('.ts') ? 'ts' : 'tsx');
    this.#files.set(path, { stamp, modules });
    return modules;
  }

  #prepareAll(needed: readonly Needed[], signal: AbortSignal): Promise<void> | undefined {
    return needed.length === 0 ? undefined : this.#prepareNeeded(needed, signal);
  }

  async #prepareNeeded(needed: readonly Needed[], signal: AbortSignal): Promise<void> {
    const required = needed.filter(each => each.required);
    const optional = needed.filter(each => !each.required);
    try {
      await this.#prepare(needed, signal);
    } catch (error) {
      if (signal.aborted || optional.length === 0) throw error;
      if (required.length > 0) await this.#prepare(required, signal);
      for (const each of optional) {
        await this.#prepare([each], signal).catch(({ message }: Error) =>
          this.#failures.set(each.specifier, message)
        );
      }
    }
  }

  async #prepare(needed: readonly Needed[], signal: AbortSignal): Promise<void> {
    const schemes = await this.schemes();
    const seen = new Set<string>();
    let wanted = needed.map(({ specifier }) => specifier);
    try {
      while (wanted.length > 0) {
        const further: string[] = [];
        for (const scheme of schemes) {
          const own = [...new Set(wanted)].filter(each => !seen.has(each) && scheme.takes(each));
          for (const specifier of own) seen.add(specifier);
          if (own.length > 0) further.push(...(await scheme.prepare(own, signal)));
        }
        wanted = further;
      }
    } catch (error) {
      if (error instanceof RemoteImportError) {
        const at = needed.find(({ specifier }) => specifier === error.specifier) ?? needed[0];
        error.start = at?.start;
      }
      throw error;
    }
  }
}
