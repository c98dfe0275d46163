/**
 * The module by which JupyterLab loads the extension: a container of webpack's module federation. Written by hand, because webpack's
 * container is four times as large: it can share packages, and it parses ranges of versions, which `jupyter labextension list` checks.
 */

/** A release of a package that the page shares. */
interface Release {
  readonly get: () => Promise<() => object>;
  loaded?: boolean | 1;
}

/** The packages that the page shares: releases by name and version. */
export type ShareScope = Readonly<Record<string, Readonly<Record<string, Release>>>>;

/** Names of the packages that the extension imports from the page; webpack.config.js defines it. */
declare const STRIDELAB_PACKAGES: readonly string[];

const MODULES: Readonly<Record<string, () => Promise<object>>> = {
  './index': () => import('../models/index.ts'),
  './extension': () => import('./index.ts'),
  './mimeExtension': () => import('./pictures.ts'),
  './style': () => import('stridelab-start-style')
};

/** The packages in the order of their names. webpack.config.js replaces imports of packages with reads of this list. */
export const packages: (object | undefined)[] = [];

let shared: ShareScope;
let loading: Promise<unknown> | undefined;

/** Called before `get`. Other extensions may share more packages until then. */
export function init(scope: ShareScope): void {
  shared = scope;
}

/** Returns a function that returns the module `name`. */
export async function get(name: string): Promise<() => object> {
  await (loading ??= Promise.all(STRIDELAB_PACKAGES.map(load)));
  const module = await MODULES[name]!();
  return () => module;
}

/** Loads the release that is in use, otherwise the latest. A package that the page lacks stays undefined: not every module needs it. */
async function load(name: string, place: number): Promise<void> {
  const releases = Object.entries(shared[name] ?? {}).sort(([one], [other]) =>
    one.localeCompare(other, 'en', { numeric: true })
  );
  const [, release] = releases.find(([, { loaded }]) => loaded) ?? releases.at(-1) ?? [];
  if (release === undefined) return;
  release.loaded = 1;
  packages[place] = (await release.get())();
}
