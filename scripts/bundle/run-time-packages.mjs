import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { paths, root } from '../setup/paths.mjs';

/** Packages whose published files are mostly for other platforms or for building: the files that run here. */
const KEEP = new Map([
  ['cmake-ts', [/^package\.json$/, /^build\/loader\.m?js$/]],
  [
    'zeromq',
    // Of its addons, the newest that is not newer than Node 24; its loader tries that one first.
    [/^package\.json$/, /^lib\//, /^build\/manifest\.json$/, /^build\/linux\/x64\/node\/glibc-127-Release\//]
  ]
]);

/** Left out of every package: texts, types, source maps and tests. */
const LEFT_OUT = /(^|\/)(test|tests|docs?|examples?|\.github)\/|\.(md|map|d\.[cm]?ts|tsbuildinfo|flow)$/i;

/** @typedef {{ dependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }} Manifest */

/** @param {string} name @param {string} from folder of the importing package @returns {string | undefined} the folder of the package */
function locate(name, from) {
  const nested = join(from, 'node_modules', name);
  if (existsSync(nested)) return nested;
  const top = join(paths.packages, name);
  return existsSync(top) ? top : undefined;
}

/** @param {string} folder of a package @returns {Manifest} */
const manifestOf = folder => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/**
 * Returns the folders of packages and of their dependencies. Optional dependencies that are not installed are for other platforms.
 * @param {readonly string[]} [names] by default those that the kernel and the library load
 * @returns {string[]} absolute paths, sorted
 */
export function runTimePackages(names = Object.keys(manifestOf(root).dependencies ?? {})) {
  /** @type {Set<string>} */
  const found = new Set();
  const visit = (/** @type {string} */ folder, /** @type {readonly string[]} */ needed) => {
    for (const name of needed) {
      const place = locate(name, folder);
      if (place === undefined || found.has(place)) continue;
      found.add(place);
      const { dependencies, optionalDependencies } = manifestOf(place);
      visit(place, Object.keys({ ...dependencies, ...optionalDependencies }));
    }
  };
  visit(root, names);
  return [...found].sort();
}

/**
 * Copies the files that the kernel and the library load of these packages to `node_modules` below a folder.
 * @param {string} folder
 */
export function copyRunTimePackages(folder) {
  for (const from of runTimePackages()) {
    const name = relative(paths.packages, from).split(sep).join('/');
    cpSync(from, join(folder, relative(root, from)), {
      recursive: true,
      dereference: true,
      filter: source => {
        const file = relative(from, source).split(sep).join('/');
        if (statSync(source).isDirectory()) return file !== 'node_modules';
        return isNeededAtRunTime(name, file);
      }
    });
  }
}

/**
 * Returns whether the kernel or the library may load a file of a package.
 * @param {string} packageName
 * @param {string} file path inside the package, with forward slashes
 */
function isNeededAtRunTime(packageName, file) {
  const keep = KEEP.get(packageName);
  if (keep !== undefined && !keep.some(pattern => pattern.test(file))) return false;
  // The kernel's language server reads the declarations of TypeScript and of Node.
  if (/^@typescript\/|^ts7$|^@types\/|^undici-types$/.test(packageName)) return !file.endsWith('.md');
  return !LEFT_OUT.test(file);
}
