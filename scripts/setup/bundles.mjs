import { globSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { CELL_MODULES } from '../../kernel/protocol/cell-modules.ts';
import { PEER_MODULES } from '../../kernel/protocol/peer-modules.ts';
import { filesBelow } from './stamp.mjs';
import { root } from './paths.mjs';

const dist = join(root, 'dist');
/** The folders whose modules are bundled: TypeScript writes only their types. */
const ROOMS = ['src', 'kernel'];
/** Files that several bundles import are in a folder of this name. */
const PARTS = 'parts';

/** The process that talks to Jupyter. It starts with `main`, and loads the rest beside the start of the other process. */
const FRONT = ['kernel/front/main', 'kernel/front/serve'];
/** Packages in plain JavaScript that are part of the bundles, so that Node need not find and link their files. */
export const BUNDLED = [
  '@jridgewell/trace-mapping',
  '@sveltejs/acorn-typescript',
  'acorn',
  'eslint-scope',
  'fastest-levenshtein',
  'get-tsconfig',
  'magic-string'
];

/** The process of the cells and its threads. */
const EXECUTOR = [
  'kernel/executor/main',
  'kernel/executor/program',
  'kernel/executor/interrupt/interrupt-worker',
  'kernel/executor/debugger/debugger-thread'
];
/** Programs of the command that run in a process of their own. */
const COMMANDS = ['kernel/cli/check/check-program', 'kernel/cli/doctor/device-probe'];
/** Modules that tests and benchmarks read beside the library, with which they share their state. */
const INSPECTED = [
  'src/array/array',
  'src/cluster/observed-cluster',
  'src/collectives/rendezvous',
  'src/compiler/diagnostics',
  'src/compiler/nvrtc',
  'src/memory/index',
  'src/memory/manager/kept-memory',
  'src/native/load',
  'src/pictures/array/bytes-page',
  'src/pictures/array/statistics',
  'src/pictures/array/values-page',
  'src/pictures/device/describe',
  'src/pictures/memory/picture'
];

/** What the process of the cells loads before a cell imports the library. */
const EARLY = [
  'kernel/executor/program',
  'kernel/executor/imports/remote-schemes',
  'kernel/executor/magics/run-magics',
  'kernel/widgets/widget-targets',
  'kernel/widgets/pictures/arrays/target'
];
/**
 * What is loaded with some modules goes into one file, by the first line that fits. Each module is in one file only, so that its state
 * exists once in a process.
 * @type {readonly { file: string, with: readonly string[], below: string }[]}
 */
const FILES = [
  { file: 'main', with: ['kernel/front/main'], below: '' },
  { file: 'serve', with: ['kernel/front/serve'], below: '' },
  { file: 'base', with: EARLY, below: 'src' },
  { file: 'packages', with: EARLY, below: 'node_modules' },
  { file: 'interrupt', with: ['kernel/executor/interrupt/interrupt-worker'], below: 'kernel' },
  { file: 'protocol', with: ['kernel/executor/program'], below: 'kernel/protocol' },
  { file: 'host', with: ['kernel/widgets/index'], below: 'kernel/widgets/model/host' },
  { file: 'compile', with: ['kernel/cli/check/check-program'], below: 'kernel/executor' },
  { file: 'debugger', with: ['kernel/executor/debugger/breakable-places'], below: 'kernel/executor' },
  // After the lines above: this file opens the pipe to the front, so only the process of the cells may load it.
  { file: 'executor', with: ['kernel/executor/program'], below: 'kernel/executor' },
  { file: 'display', with: ['src/notebook/index'], below: 'src' },
  { file: 'library', with: ['src/index'], below: 'src' },
  // An interrupt lets the pool finish, which it knows by this name (kernel/executor/interrupt/look.ts).
  { file: 'pool', with: ['src/memory'], below: 'src/memory/pool' }
];

/** @param {string} module without extension, from the root of the repository */
const sourceFile = module => join(root, `${module}.ts`);

/** The modules that package.json names: those for users, the command, and those that are loaded when they are first needed. */
function publicModules() {
  const { exports, imports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const targets = [exports, imports, bin].flatMap(map => Object.values(map)).map(to => to.default ?? to);
  return targets
    .filter(target => target.startsWith('./dist/') && target.endsWith('.js'))
    .map(target => target.slice('./dist/'.length, -'.js'.length))
    .flatMap(module => globSync(`${module}.ts`, { cwd: root }))
    .map(file => file.replace(/\.ts$/, ''));
}

/**
 * Node's modules, got without `import`: that would read every export, and some of them load further modules. Unused ones are left out,
 * but not where cells run: after an interrupt of a cell that loads one, later imports of it can hang.
 * @param {boolean} cells
 * @returns {import('rolldown').Plugin}
 */
const builtins = cells => ({
  name: 'modules of Node',
  resolveId(path, importer) {
    // One for each importer: a common one would be a file of its own.
    return importer !== undefined && isBuiltin(path)
      ? { id: `\0${path.replace(/^(?!node:)/, 'node:')}?${importer}`, moduleSideEffects: cells }
      : null;
  },
  async load(id) {
    if (!id.startsWith('\0node:')) return null;
    const path = id.slice(1, id.indexOf('?'));
    const names = Object.keys(await import(path)).filter(name => name !== 'default');
    const lines = names.map(name => `export const ${name} = /* @__PURE__ */ get('${name}');`);
    const unneeded = cells ? '' : '/* @__PURE__ */ ';
    const head = `const module = ${unneeded}process.getBuiltinModule('${path}'), get = name => module[name];`;
    return [head, ...lines, 'export default module;'].join('\n');
  }
});

/** The source file that a module of a bundle is, or is made for. The bundler's own helpers count as the library's. @param {string} id */
function sourceOf(id) {
  if (!id.startsWith('\0')) return id;
  return id.includes('?') ? id.slice(id.indexOf('?') + 1) : join(root, 'src', 'helpers');
}

/**
 * Returns the folder of a file that has these modules: tracebacks tell the library's frames from the kernel's by their folder. Packages may
 * be in either.
 * @param {readonly string[]} ids
 */
function folderOf(ids) {
  const files = ids.map(id => relative(root, sourceOf(id)));
  return files.some(file => file.startsWith(`kernel${sep}`)) ? 'kernel' : 'src';
}

/**
 * Returns the bundler's groups for FILES. Programs are in none: they run when their file is loaded. Where cells run, other modules of the
 * library are together by folder, and never in a file of the kernel.
 * @param {boolean} cells
 */
function groups(cells) {
  const programs = new Set([...FRONT, ...EXECUTOR].map(sourceFile));
  /** @type {Map<string, Set<string>>} */
  const loaded = new Map();
  /** @param {string} module @param {import('rolldown').ChunkingContext} context */
  const loadedWith = (module, context) => {
    let all = loaded.get(module);
    if (all === undefined) {
      all = new Set([sourceFile(module)]);
      // A set also visits what is added meanwhile.
      for (const id of all) for (const next of context.getModuleInfo(id)?.importedIds ?? []) all.add(next);
      loaded.set(module, all);
    }
    return all;
  };
  const lines = FILES.map(({ file, with: modules, below }, at) => ({
    priority: FILES.length - at,
    debugName: file,
    name: (/** @type {string} */ id, /** @type {import('rolldown').ChunkingContext} */ context) =>
      relative(root, sourceOf(id)).startsWith(below) &&
      !programs.has(sourceOf(id)) &&
      modules.some(module => loadedWith(module, context).has(id))
        ? file
        : null
  }));
  const byFolder = (/** @type {string} */ id) => {
    const [room, ...folders] = dirname(relative(root, sourceOf(id))).split(sep);
    return room === 'src' && folders.length > 0 ? folders.join('-') : null;
  };
  return cells ? [...lines, { priority: 0, debugName: 'folders', name: byFolder }] : lines;
}

/**
 * Bundles modules, given without extension, into files of the same names in `dist`.
 * @param {readonly string[]} modules
 * @param {{ cells: boolean, packages?: readonly string[], target?: string }} options `cells`: whether cells import modules of the same process;
 * `packages`: the packages to bundle
 * @returns {Promise<string[]>} the written files
 */
async function bundle(modules, { cells, packages = [], target = 'esnext' }) {
  const bundled = await rolldown({
    input: Object.fromEntries(modules.map(module => [module, sourceFile(module)])),
    platform: 'node',
    transform: { target },
    external: (path, importer) =>
      path.startsWith('#') ||
      (/^[^./\0]/.test(path) &&
        !isBuiltin(path) &&
        !packages.includes(path) &&
        !importer?.includes(`${sep}node_modules${sep}`)),
    plugins: [builtins(cells)],
    logLevel: 'warn'
  });
  const { output } = await bundled.write({
    dir: dist,
    format: 'esm',
    sourcemap: true,
    // V8 keeps the text of a loaded file, with two bytes for each character if one of them is outside Latin-1.
    charset: 'ascii',
    comments: { legal: true, annotation: true, jsdoc: false },
    entryFileNames: '[name].js',
    chunkFileNames: ({ moduleIds, facadeModuleId }) =>
      `${cells ? folderOf(facadeModuleId ? [...moduleIds, facadeModuleId] : moduleIds) : 'kernel'}/${PARTS}/[name]-[hash].js`,
    codeSplitting: { groups: groups(cells) }
  });
  await bundled.close();
  return output.map(({ fileName }) => join(dist, fileName));
}

/** Bundles the library and the kernel: Node takes most of a start for finding and linking modules, one after the other. */
export async function bundleModules() {
  const cellModules = [...Object.values(CELL_MODULES), ...Object.values(PEER_MODULES)];
  const shared = new Set([...publicModules(), ...cellModules, ...EXECUTOR, ...COMMANDS, ...INSPECTED]);
  const written = new Set(
    (
      await Promise.all([
        bundle(FRONT, { cells: false, packages: BUNDLED, target: 'node20.19' }),
        bundle([...shared], { cells: true, packages: BUNDLED })
      ])
    ).flat()
  );
  for (const room of ROOMS)
    for (const file of filesBelow(join(dist, room), ['.js', '.js.map'])) if (!written.has(file)) rmSync(file);
}
