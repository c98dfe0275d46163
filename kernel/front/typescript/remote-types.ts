/** The types of remote modules: files in the cache of imports, which the executor fills. */

import { isPackageSpecifier, parsePackageSpecifier } from '../../protocol/package-specifiers.ts';
import { NpmProjects } from '../../protocol/npm-projects.ts';
import { fetchedFile, isWebUrl, webPaths } from '../../protocol/web-files.ts';

/** Files for specifiers, as the compiler option `paths` has them. */
export type RemotePaths = Readonly<Record<string, readonly string[]>>;

export class RemoteTypes {
  readonly #packages: NpmProjects;
  /** Every specifier that a cell, a draft or a file of the user has mentioned. */
  readonly #mentioned = new Set<string>();
  #paths: RemotePaths = {};

  /** Constructs the types for the notebooks of a folder. */
  constructor(folder: string) {
    this.#packages = new NpmProjects(folder);
  }

  mention(specifiers: Iterable<string>): void {
    for (const specifier of specifiers) this.#mentioned.add(specifier);
  }

  /** Returns the paths of all mentioned modules; one object for as long as they are unchanged. */
  paths(): RemotePaths {
    const paths: Record<string, readonly string[]> = { ...webPaths() };
    for (const specifier of this.#mentioned) {
      const file = this.#file(specifier);
      if (typeof file === 'string') paths[specifier] = [file];
    }
    if (JSON.stringify(paths) !== JSON.stringify(this.#paths)) this.#paths = paths;
    return this.#paths;
  }

  /** Returns whether one of these modules has yet to be installed. */
  isMissing(specifiers: readonly string[]): boolean {
    return specifiers.some(specifier => this.#file(specifier) === undefined);
  }

  /** Returns the file with a module's types or code; null for none, undefined before the module is installed. */
  #file(specifier: string): string | null | undefined {
    // Beside the pattern for all URLs, so that a fetched module is a change of the paths.
    if (isWebUrl(specifier)) return fetchedFile(specifier);
    if (!isPackageSpecifier(specifier)) return null;
    const wanted = parsePackageSpecifier(specifier);
    if (wanted === undefined) return null;
    try {
      return this.#packages.typesOf(wanted);
    } catch {
      // The executor reports a malformed lockfile.
      return null;
    }
  }
}
