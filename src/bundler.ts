/** `stridelab/bundler`: plugins for programs with kernels, whose types and names bundlers remove. */

import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { inserted } from './kernels/source/insertions.ts';
import { sourceMap, withSourceMap, type SourceMap } from './kernels/source/source-map.ts';
import { annotateFile, isUserFile } from './kernels/source/user-files.ts';

/** A plugin for Rollup, Rolldown, Vite and Vitest. */
export interface RollupPlugin {
  readonly name: string;
  readonly transform: {
    /** Before plugins that remove types. */
    readonly order: 'pre';
    readonly handler: (code: string, id: string) => Annotated | null;
  };
}

/** The part of esbuild's interface that the plugin uses. */
export interface EsbuildBuild {
  onResolve(
    options: { filter: RegExp },
    resolve: (file: { path: string }) => { path: string; external: true }
  ): void;
  onLoad(
    options: { filter: RegExp },
    load: (file: { path: string }) => Promise<{ contents: string; loader: EsbuildLoader } | null>
  ): void;
}

/** The language of a file. */
export type EsbuildLoader = 'js' | 'jsx' | 'ts' | 'tsx';

/** A plugin for esbuild. */
export interface EsbuildPlugin {
  readonly name: string;
  readonly setup: (build: EsbuildBuild) => void;
}

const NAME = 'stridelab';

/** The library itself, which loads native code from its own folder, so that no bundle can contain it. */
const LIBRARY = /^stridelab(\/|$)/;

/** A file with what its kernels need. */
export interface Annotated {
  readonly code: string;
  readonly map: SourceMap;
}

/**
 * Adds to a file the source of its kernels, for tools without a plugin, such as a transformer of Jest or a loader of webpack. Call it before
 * types are removed. @param path the absolute path of the file, perhaps with a query behind it @param text TypeScript or JavaScript
 * @returns null for a file without kernels, or of a package in node_modules
 * @example const { code } = annotated(path, text) ?? { code: text };
 */
export function annotated(path: string, text: string): Annotated | null {
  const file = path.replace(/\?.*$/s, '');
  const insertions = isUserFile(file) ? annotateFile(file, text) : [];
  if (insertions.length === 0) return null;
  return { code: inserted(text, insertions), map: sourceMap(text, insertions, basename(file)) };
}

/**
 * Makes a plugin for Rollup, Rolldown, Vite and Vitest. It works before plugins that remove types.
 * @example
 * // rollup.config.js
 * export default { input: 'program.ts', plugins: [rollupStridelab(), typescript()], external: ['stridelab'] };
 */
export function rollupStridelab(): RollupPlugin {
  return { name: NAME, transform: { order: 'pre', handler: (code, id) => annotated(id, code) } };
}

/**
 * Makes a plugin for esbuild and tsup. It leaves imports of `stridelab` to Node.
 * @example
 * await build({ entryPoints: ['program.ts'], bundle: true, platform: 'node', plugins: [esbuildStridelab()] });
 */
export function esbuildStridelab(): EsbuildPlugin {
  return {
    name: NAME,
    setup(build) {
      build.onResolve({ filter: LIBRARY }, ({ path }) => ({ path, external: true }));
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path }) => {
        if (!isUserFile(path)) return null;
        const text = await readFile(path, 'utf8');
        const insertions = annotateFile(path, text);
        if (insertions.length === 0) return null;
        return { contents: withSourceMap(text, insertions, basename(path)), loader: loaderOf(path) };
      });
    }
  };
}

function loaderOf(path: string): EsbuildLoader {
  return extname(path).replace(/^\.[cm]?/, '') as EsbuildLoader;
}
