import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { parseSync } from 'oxc-parser';
import { SetupFailure } from '../setup/failure.mjs';
import { paths, root } from '../setup/paths.mjs';
import { checkout } from './manifests.mjs';

/** What the array library loads: paths in the checkout. */
const LIBRARY = ['LICENSE', 'dist/src', 'dist/kernel/widgets', 'src/base/rules.json', 'python/stridelab'];
/** Types that the widgets of the library import from the kernel. */
const WIDGET_PROTOCOL = ['messages', 'executor-messages', 'syntax', 'cell-origin'].map(
  name => `dist/kernel/protocol/${name}.d.ts`
);
/** `dist/index.js` and `dist/afm` are for pages, which load them from a copy of npm's registry. */
export const libraryFiles = () => [
  ...LIBRARY,
  ...WIDGET_PROTOCOL,
  ...importedParts('dist/kernel/widgets'),
  'dist/index.js',
  'dist/afm'
];

/** What the kernel and its command load, with the library of its cells and the JupyterLab extension. */
export const kernelFiles = [...LIBRARY, 'dist/kernel', 'dist/labextension', 'kernel/kernelspec'];

const LEFT_OUT =
  /\.(map|tsbuildinfo|pyc)$|(^|\/)__pycache__(\/|$)|\/dist\/kernel\/(front|executor|cli)\/.*\.d\.ts$/;
const MAP_COMMENT = /\n\/\/# sourceMappingURL=\S+\s*$/;
const NODE_TYPES = /\bNodeJS\.|\bBuffer\b|['"]node:/;

/**
 * Copies files and folders of the checkout to the same paths below a folder, without source maps and internal types, and writes
 * the manifest.
 * @param {string} folder
 * @param {readonly string[]} files
 * @param {object} manifest
 */
export function layTree(folder, files, manifest) {
  for (const file of files)
    cpSync(join(root, file), join(folder, file), {
      recursive: true,
      filter: source => !LEFT_OUT.test(source)
    });
  for (const file of filesOf(join(folder, 'dist'), /\.(js|d\.ts)$/))
    writeFileSync(file, published(readFileSync(file, 'utf8'), file));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** @param {string} code of a compiled module or its types @param {string} file */
function published(code, file) {
  const text = code.replace(MAP_COMMENT, '\n');
  // The compilers of users load Node's types only if told to.
  return file.endsWith('.d.ts') && NODE_TYPES.test(text) ? `/// <reference types="node" />\n${text}` : text;
}

/** @param {string} folder receives the addons */
export function layAddons(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of ['stridelab.node', 'interrupts.node'])
    cpSync(join(paths.portableAddons, name), join(folder, name));
}

/** @param {string} folder @param {RegExp} pattern @returns {string[]} absolute paths, sorted */
export function filesOf(folder, pattern) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && pattern.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .sort();
}

/**
 * Checks that the modules and types of a tree import only files of the tree and packages that the manifest names. Functions that run on
 * the workers of a cluster import the library by its name, which the workers resolve.
 * @param {string} folder
 * @param {{ name: string, dependencies?: Record<string, string> }} manifest
 * @throws SetupFailure that lists the others
 */
export function checkImports(folder, { name, dependencies = {} }) {
  const problems = filesOf(join(folder, 'dist'), /\.(js|d\.ts)$/)
    .filter(file => !file.includes(`${sep}labextension${sep}`))
    .flatMap(file =>
      specifiersOf(file)
        .filter(specifier =>
          specifier.startsWith('.')
            ? !existsSync(join(dirname(file), specifier.replace(/(?<!\.d)\.ts$/, '.d.ts')))
            : specifier !== checkout.name && !(packageOf(specifier) in dependencies)
        )
        .map(specifier => `${relative(folder, file)} imports ${specifier}`)
    );
  if (problems.length === 0) return;
  throw new SetupFailure(
    `The package ${name} lacks what its modules import:\n${problems.join('\n')}\nadd the files in scripts/package/tree.mjs or the dependency in manifests.mjs.`
  );
}

/**
 * Returns the files outside a folder and the library that the modules below the folder load.
 * @param {string} folder path in the checkout
 */
function importedParts(folder) {
  const found = new Set(filesOf(join(root, folder), /\.js$/));
  // A set also visits what is added meanwhile.
  for (const file of found)
    for (const specifier of specifiersOf(file))
      if (specifier.startsWith('.')) found.add(join(dirname(file), specifier));
  const inLibrary = [folder, ...LIBRARY].map(path => join(root, path) + sep);
  return [...found]
    .filter(file => !inLibrary.some(path => file.startsWith(path)))
    .map(file => relative(root, file));
}

/** @param {string} file a compiled module @returns {string[]} */
function specifiersOf(file) {
  const code = readFileSync(file, 'utf8');
  const { staticImports, staticExports, dynamicImports } = parseSync(file, code).module;
  const requests = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest),
    ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest))
  ];
  const constant = dynamicImports
    .map(({ moduleRequest: { start, end } }) => /^['"](.+)['"]$/.exec(code.slice(start, end))?.[1])
    .filter(specifier => specifier !== undefined);
  const all = [...requests.flatMap(request => (request ? [request.value] : [])), ...constant];
  return [...new Set(all)].filter(specifier => !isBuiltin(specifier) && !specifier.startsWith('#'));
}

/** @param {string} specifier */
const packageOf = specifier =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
