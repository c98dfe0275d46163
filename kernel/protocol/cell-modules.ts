/** Modules of this package that a cell can import from any folder, and the globals of cells. */

import { peerModule } from './peer-modules.ts';

/** Modules by import specifier: paths relative to the root of the compiled package, without extension. */
export const CELL_MODULES: Readonly<Record<string, string>> = {
  stridelab: 'src/index',
  'stridelab/notebook': 'src/notebook/index',
  'stridelab/widgets': 'kernel/widgets/index',
  'stridelab/memory': 'src/memory',
  'stridelab/sharing': 'src/sharing',
  'stridelab/cluster': 'src/cluster',
  'stridelab/collectives': 'src/collectives',
  'stridelab/deno': 'kernel/peers/deno/index',
  'stridelab/jsx-runtime': 'src/notebook/jsx/runtime',
  'stridelab/jsx-dev-runtime': 'src/notebook/jsx/runtime'
};

/** Modules for users to import: the others are for compiled JSX. */
export const IMPORTABLE_MODULES = Object.keys(CELL_MODULES).filter(name => !name.includes('jsx'));

/** Returns the path of the module with which a cell's import is answered, as in `CELL_MODULES`; undefined for other packages. */
export function cellModule(specifier: string): string | undefined {
  return Object.hasOwn(CELL_MODULES, specifier) ? CELL_MODULES[specifier] : peerModule(specifier);
}

/** Returns whether a specifier names this package, which resolves without being installed. */
export function isOwnPackage(specifier: string): boolean {
  return specifier === 'stridelab' || specifier.startsWith('stridelab/');
}

/** The object of Deno's kernel: only cells that name it see it, because libraries take a process with a global `Deno` for Deno. */
export const DENO = 'Deno';

/** Globals of cells, with the module of each, which is loaded when the name is first used. */
export const CELL_GLOBALS: Readonly<Record<string, keyof typeof CELL_MODULES>> = {
  display: 'stridelab/notebook',
  clearOutput: 'stridelab/notebook',
  html: 'stridelab/notebook',
  md: 'stridelab/notebook',
  svg: 'stridelab/notebook',
  image: 'stridelab/notebook',
  table: 'stridelab/notebook',
  progress: 'stridelab/notebook',
  input: 'stridelab/notebook',
  password: 'stridelab/notebook',
  prompt: 'stridelab/notebook',
  confirm: 'stridelab/notebook',
  alert: 'stridelab/notebook'
};
