import { readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative, resolve, sep } from 'node:path';
import { build } from 'esbuild';
import { hasState } from './module-state.mjs';
import { root } from './paths.mjs';

/**
 * The programs of the kernel that start often, and whether cells import modules of the same process. Those that start with little and
 * import the rest are two: one file each, where a common bundle would have a third for what both use.
 */
const PROGRAMS = [
  { entry: 'front/main', cells: false },
  { entry: 'front/serve', cells: false },
  { entry: 'executor/main', cells: true },
  { entry: 'executor/program', cells: true },
  { entry: 'executor/interrupt/interrupt-worker', cells: false }
];
const PARTS = 'parts';
const compiled = join(root, 'dist', 'kernel');
/** Folders that cells import too: a bundled copy would have its own state. All programs that use them are two folders below `dist`. */
const SHARED = ['src', join('kernel', 'widgets'), join('kernel', 'peers')].map(
  folder => join(root, folder) + sep
);

/** Packages in plain JavaScript that the front loads early. */
const BUNDLED = ['acorn', 'get-tsconfig'];

/** @type {import('esbuild').Plugin} */
const packages = {
  name: 'packages',
  setup({ onResolve }) {
    // What a bundled package imports is bundled too.
    onResolve({ filter: /^[^.#/]/ }, ({ path, importer }) =>
      importer.includes(`${sep}node_modules${sep}`) || BUNDLED.includes(path) ? undefined : { external: true }
    );
  }
};

/** @type {import('esbuild').Plugin} */
const programs = {
  name: 'programs',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/.*\.ts$/ }, ({ path, resolveDir, kind }) => {
      const entry = relative(join(root, 'kernel'), resolve(resolveDir, path)).replace(/\.ts$/, '');
      if (kind !== 'dynamic-import' || !PROGRAMS.some(program => program.entry === entry)) return undefined;
      return { path: path.replace(/\.ts$/, '.js'), external: true };
    });
  }
};

/** @type {import('esbuild').Plugin} */
const shared = {
  name: 'shared modules',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ resolveDir, path }) => {
      const file = resolve(resolveDir, path);
      if (!SHARED.some(folder => file.startsWith(folder))) return undefined;
      if (!hasState(file, readFileSync(file, 'utf8'))) return undefined;
      const module = join(root, 'dist', relative(root, file)).replace(/\.ts$/, '.js');
      return { path: relative(join(compiled, PARTS), module), external: true };
    });
  }
};

/**
 * Node's modules, got without `import`: that would read every export, and some of them load further modules. Unused ones are left out,
 * but not where cells run: after an interrupt of a cell that loads one, later imports of it can hang.
 * @param {boolean} cells
 * @returns {import('esbuild').Plugin}
 */
const builtins = cells => ({
  name: 'modules of Node',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /./ }, ({ path, importer, kind }) =>
      kind !== 'entry-point' && isBuiltin(path)
        ? { path: path.replace(/^(?!node:)/, 'node:'), namespace: 'node', suffix: `?${importer}` }
        : undefined
    );
    onLoad({ filter: /./, namespace: 'node' }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter(name => name !== 'default');
      const lines = names.map(name => `export const ${name} = /* @__PURE__ */ get('${name}');`);
      const unneeded = cells ? '' : '/* @__PURE__ */ ';
      const head = `const module = ${unneeded}process.getBuiltinModule('${path}'), get = name => module[name];`;
      return { contents: [head, ...lines, 'export default module;'].join('\n') };
    });
  }
});

/** Bundles the programs: Node takes most of their start for finding and linking modules, one after the other. */
export async function bundlePrograms() {
  rmSync(join(compiled, PARTS), { recursive: true, force: true });
  await Promise.all(
    PROGRAMS.map(({ entry, cells }) =>
      build({
        entryPoints: { [entry]: join(root, 'kernel', `${entry}.ts`) },
        outdir: compiled,
        chunkNames: `${PARTS}/[name]-[hash]`,
        bundle: true,
        splitting: true,
        format: 'esm',
        platform: 'node',
        target: 'node20.19',
        external: ['#*'],
        ...(cells && { packages: 'external' }),
        plugins: [builtins(cells), programs, cells ? shared : packages],
        sourcemap: true,
        logLevel: 'error'
      })
    )
  );
}
