/** The user's `tsconfig.json`: the one that TypeScript would find from the notebook's folder. */

import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { createPathsMatcher, getTsconfig, type TsConfigResult } from 'get-tsconfig';
import { parseSync } from './oxc.ts';
import { stampOf } from './user-files.ts';

export type CompilerOptions = NonNullable<TsConfigResult['config']['compilerOptions']>;

export interface TsConfig {
  /** Absolute path; undefined if there is none. */
  readonly path: string | undefined;
  /** Options, including those inherited with `extends`. */
  readonly compilerOptions: CompilerOptions;
  /** The key `stridelab` beside `compilerOptions`: settings of the kernel. */
  readonly stridelab: Readonly<Record<string, unknown>>;
  /** Fault in the file, if any; the options are then those that could be read. */
  readonly fault: string | undefined;
  /** Returns the absolute paths, without extension, to which `paths` and `baseUrl` map a specifier; may be empty. */
  resolvePaths(specifier: string): readonly string[];
}

const NONE: TsConfig = {
  path: undefined,
  compilerOptions: {},
  stridelab: {},
  fault: undefined,
  resolvePaths: () => []
};

/** Reader of the file, which reads it again when it, or a file that it extends, has changed. */
export class TsConfigReader {
  readonly #folder: string;
  #current = NONE;
  /** Every place where a file was looked up or read, with the result. */
  #seen = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  read(): TsConfig {
    let same = this.#seen.size > 0;
    for (const [path, stamp] of this.#seen) same &&= stampOf(path) === stamp;
    if (!same) this.#read();
    return this.#current;
  }

  #read(): void {
    const lookups = new Map<string, unknown>();
    try {
      const found = getTsconfig(this.#folder, 'tsconfig.json', lookups);
      this.#current = found === null ? NONE : describe(found, this.#folder);
    } catch (error) {
      const path = [...placesOf(lookups)].findLast(place => stampOf(place) !== '');
      const fault = `${relative(this.#folder, path ?? 'tsconfig.json')}: ${(error as Error).message}`;
      this.#current = { ...NONE, path, fault };
    }
    this.#seen = new Map([...placesOf(lookups)].map(place => [place, stampOf(place)]));
  }
}

function describe(found: TsConfigResult, folder: string): TsConfig {
  const { path, config } = found;
  const matcher = createPathsMatcher(found);
  const { stridelab } = config as { stridelab?: unknown };
  return {
    path,
    compilerOptions: typeof config.compilerOptions === 'object' ? config.compilerOptions : {},
    stridelab: typeof stridelab === 'object' && stridelab !== null ? { ...stridelab } : {},
    fault: syntaxFault(path, folder),
    resolvePaths: specifier => matcher?.(specifier) ?? []
  };
}

/** Returns the syntax error of a file: the library ignores errors. JSON with comments and trailing commas is an expression. */
function syntaxFault(path: string, folder: string): string | undefined {
  const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  const [error] = parseSync('tsconfig.js', `(${text}\n)`).errors;
  if (error === undefined) return undefined;
  const line = text.slice(0, error.labels[0]?.start ?? 0).split('\n').length;
  return `${relative(folder, path)}:${line}: ${error.message}`;
}

/** Returns the paths in the library's cache, whose keys are `function:path`, with an encoding after it for reads. */
function placesOf(lookups: ReadonlyMap<string, unknown>): Set<string> {
  return new Set([...lookups.keys()].map(key => key.replace(/^\w+:/, '').replace(/:utf8$/, '')));
}
