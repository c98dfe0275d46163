/** Finds changes on disk since the last scan: of files that cells import, and of installed packages. */

import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { remoteMentions } from '../../protocol/remote-specifiers.ts';
import { filesFor, foldersFrom, isFile, stampOf } from '../../protocol/user-files.ts';
import { readCell } from './cell-facts.ts';
import { FILE_CHANGED, FILE_CREATED, FILE_DELETED, type FileEvent } from './supervised-server.ts';

interface KnownFile {
  readonly stamp: string;
  /** Relative modules that it imports, as absolute paths that may lack an extension. */
  readonly imports: readonly string[];
  readonly remote: readonly string[];
}

const TYPESCRIPT = /\.[cm]?tsx?$/;
const READABLE = /\.(?:[cm]?[jt]s|[jt]sx)$/;
/** Files that package managers change with each installed package. */
const PACKAGE_MARKS = ['node_modules', 'node_modules/.package-lock.json', 'node_modules/.modules.yaml'];

export class DiskChanges {
  readonly #folder: string;
  /** Files found by the last scan, by path. */
  readonly #files = new Map<string, KnownFile>();
  /** Missing modules, by their expected paths. */
  readonly #missing = new Set<string>();
  #packages: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#packages = this.#packageStamp();
  }

  /** Returns whether packages were installed or removed since the last call. */
  packagesChanged(): boolean {
    const stamp = this.#packageStamp();
    if (stamp === this.#packages) return false;
    this.#packages = stamp;
    return true;
  }

  /** Returns the changes of files reachable from `modules`, which are specifiers as cells write them. */
  look(modules: Iterable<string>): FileEvent[] {
    const events: FileEvent[] = [];
    const waiting = relativeTo(this.#folder, modules);
    const seen = new Set<string>(waiting);
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      for (const next of this.#visit(place, events)) {
        if (!seen.has(next)) waiting.push(next);
        seen.add(next);
      }
    }
    return events;
  }

  /** Returns the remote modules that the files of the last scan mention. */
  remote(): string[] {
    return [...this.#files.values()].flatMap(({ remote }) => remote);
  }

  /** Records the current state of a module, and returns the paths of its imports. */
  #visit(place: string, events: FileEvent[]): readonly string[] {
    for (const path of candidates(place)) {
      const stamp = isFile(path) ? stampOf(path) : '';
      const known = this.#files.get(path);
      if (stamp === '') {
        if (known !== undefined) {
          this.#files.delete(path);
          this.#missing.add(place);
          events.push({ path, type: FILE_DELETED });
        }
        continue;
      }
      if (known?.stamp === stamp) return known.imports;
      const { imports, remote } = importsOf(path);
      this.#files.set(path, { stamp, imports, remote });
      if (known !== undefined) events.push({ path, type: FILE_CHANGED });
      // For a file that is new here, the server has no older state.
      else if (this.#missing.delete(place)) events.push({ path, type: FILE_CREATED });
      return imports;
    }
    this.#missing.add(place);
    return [];
  }

  #packageStamp(): string {
    const marks = foldersFrom(this.#folder).flatMap(folder => PACKAGE_MARKS.map(mark => join(folder, mark)));
    return marks.map(stampOf).join();
  }
}

function relativeTo(folder: string, modules: Iterable<string>): string[] {
  return [...modules].filter(module => /^\.{0,2}\//.test(module)).map(module => resolve(folder, module));
}

/** Returns the files that an import may refer to, as the server tries them: TypeScript first. */
function candidates(place: string): string[] {
  const files = [...filesFor(place), `${place}.d.ts`];
  return [...files.filter(file => TYPESCRIPT.test(file)), ...files.filter(file => !TYPESCRIPT.test(file))];
}

function importsOf(path: string): Omit<KnownFile, 'stamp'> {
  if (!READABLE.test(path)) return { imports: [], remote: [] };
  try {
    const text = readFileSync(path, 'utf8');
    return { imports: relativeTo(dirname(path), readCell(text).modules), remote: remoteMentions(text) };
  } catch {
    // The file was deleted in the meantime; the next scan reports it.
    return { imports: [], remote: [] };
  }
}
