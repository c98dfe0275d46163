import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

const windows = process.platform === 'win32';
const venv = join(root, '.venv');
const exchangeVenv = join(root, '.venv-exchange');

/** Returns the Python of a virtual environment. @param {string} folder */
export const pythonOf = folder =>
  windows ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');

export const paths = {
  build: join(root, 'build'),
  stamps: join(root, 'build', 'stamps'),
  packages: join(root, 'node_modules'),
  venv,
  python: pythonOf(venv),
  venvPrograms: join(venv, windows ? 'Scripts' : 'bin'),
  /** Created only by `npm run exchange-environment`. */
  exchangeVenv,
  exchangePython: pythonOf(exchangeVenv),
  jupyterData: join(venv, 'share', 'jupyter'),
  addon: join(root, 'native', 'build', 'Release', 'stridelab.node'),
  interruptsAddon: join(root, 'native', 'build', 'Release', 'interrupts.node'),
  portableAddons: join(root, 'build', 'portable', 'Release'),
  kernelMain: join(root, 'dist', 'kernel', 'front', 'main.js'),
  kernelCommand: join(root, 'dist', 'kernel', 'cli'),
  kernelLogos: join(root, 'kernel', 'kernelspec'),
  labextension: join(root, 'dist', 'labextension'),
  companion: join(root, 'python'),
  tour: join(root, 'notebooks', '00-tour.ipynb')
};
