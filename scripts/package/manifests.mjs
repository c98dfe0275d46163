import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUNTIME_MAJOR } from '../setup/minimum-node.mjs';
import { root } from '../setup/paths.mjs';

/**
 * @typedef {{
 *   name: string, version: string, description: string, license: string, author: string, keywords: string[],
 *   exports: object, bin: object, imports: Record<string, string>, dependencies: Record<string, string>
 * }} Checkout
 */

/** @type {Checkout} */
export const checkout = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The package with the addons, built for Linux on x86-64 with glibc. */
export const ADDON_PACKAGE = '@stridelab/linux-x64-gnu';

const { version, license, author, keywords, exports, bin, imports } = checkout;

/** @param {string} name @param {string} description */
const common = (name, description) => ({
  name,
  version,
  description,
  license,
  author,
  keywords,
  type: 'module'
});
const engines = { node: `>=${RUNTIME_MAJOR}` };

/** @param {string} folder the addons' folder: a path in the package that begins with `./`, or a package @returns {Record<string, string>} */
const importsWith = folder => ({
  ...imports,
  '#native': `${folder}/stridelab.node`,
  '#interrupts': `${folder}/interrupts.node`
});

/** @param {Record<string, string>} all @param {readonly string[]} names */
const pick = (all, names) => Object.fromEntries(names.map(name => [name, all[name] ?? '']));

/** The npm package `stridelab`: the array library, for programs. */
export const libraryManifest = {
  ...common(
    checkout.name,
    'GPU arrays for TypeScript, exchanged without a copy by the CUDA Array Interface and DLPack'
  ),
  exports,
  imports: importsWith(ADDON_PACKAGE),
  engines,
  dependencies: pick(checkout.dependencies, [
    '@sveltejs/acorn-typescript',
    '@types/node',
    'acorn',
    'eslint-scope',
    'fastest-levenshtein'
  ]),
  optionalDependencies: { [ADDON_PACKAGE]: version }
};

/** The npm package with the Jupyter kernel and the command `stridelab`; it contains the library of its cells. */
export const kernelManifest = {
  ...common('@stridelab/kernel', checkout.description),
  exports,
  bin,
  imports: importsWith(ADDON_PACKAGE),
  engines,
  dependencies: checkout.dependencies,
  optionalDependencies: { [ADDON_PACKAGE]: version }
};

/** The kernel in the wheel: its dependencies and addons are in the same folder. */
export const wheelManifest = {
  ...kernelManifest,
  imports: importsWith('./addon'),
  private: false
};

/** The npm package with the addons. */
export const addonManifest = {
  ...common(ADDON_PACKAGE, 'The native core of stridelab for Linux on x86-64 with glibc'),
  os: ['linux'],
  cpu: ['x64'],
  libc: ['glibc'],
  engines,
  exports: { './*.node': './*.node', './package.json': './package.json' }
};
