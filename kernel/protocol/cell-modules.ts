/** Modules of this package that a cell can import from any folder, and the globals of cells. */

/** Modules by import specifier: paths relative to the root of the compiled package, without extension. */
export const CELL_MODULES: Readonly<Record<string, string>> = {
  stridelab: 'src/index',
  'stridelab/notebook': 'src/notebook/index',
  'stridelab/widgets': 'kernel/widgets/index',
  'stridelab/memory': 'src/memory',
  'stridelab/sharing': 'src/sharing',
  'stridelab/cluster': 'src/cluster',
  'stridelab/collectives': 'src/collectives',
  'stridelab/jsx-runtime': 'src/notebook/jsx/runtime',
  'stridelab/jsx-dev-runtime': 'src/notebook/jsx/runtime'
};

/** Modules for users to import: the others are for compiled JSX. */
export const IMPORTABLE_MODULES = Object.keys(CELL_MODULES).filter(name => !name.includes('jsx'));

/** Returns whether a specifier names this package, which resolves without being installed. */
export function isOwnPackage(specifier: string): boolean {
  return specifier === 'stridelab' || specifier.startsWith('stridelab/');
}

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
