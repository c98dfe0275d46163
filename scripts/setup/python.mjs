import { join } from 'node:path';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { capture, runStep } from './child.mjs';
import { SetupFailure } from './failure.mjs';
import { paths, pythonOf } from './paths.mjs';
import { pipInstall } from './pip.mjs';
import { fingerprint, refresh } from './stamp.mjs';

/** Required by JupyterLab 4.6 (Requires-Python). The companion package itself runs on 3.9. */
const MINIMUM = [3, 10];
/** Required by JAX. */
const EXCHANGE_MINIMUM = [3, 11];
const lock = join(paths.companion, 'requirements.lock');
const buildToolsLock = join(paths.companion, 'build-tools.lock');
const testToolsLock = join(paths.companion, 'test-tools.lock');
const checkToolsLock = join(paths.companion, 'check-tools.lock');
export const packageToolsLock = join(paths.companion, 'package-tools.lock');
const nativeToolsLock = join(paths.companion, 'native-tools.lock');
const exchangeLock = join(paths.companion, 'exchange-libraries.lock');

/** @param {string} program @returns {Promise<[number, number] | undefined>} major and minor version */
async function versionOf(program) {
  const { status, output } = await capture(program, ['-c', 'import sys; print(*sys.version_info[:2])']);
  const [major, minor] = output.trim().split(' ').map(Number);
  return status === 0 && major !== undefined && minor !== undefined ? [major, minor] : undefined;
}

/** @param {readonly [number, number]} version @param {readonly number[]} minimum */
const isEnough = ([major, minor], minimum) =>
  major === minimum[0] && minor >= /** @type {number} */ (minimum[1]);

/**
 * Returns the first Python that is new enough; STRIDELAB_PYTHON overrides the search.
 * @param {readonly number[]} minimum major and minor version
 * @param {string} what needs it
 * @returns {Promise<string>}
 */
async function findPython(minimum, what) {
  const chosen = process.env['STRIDELAB_PYTHON'];
  const candidates = chosen
    ? [chosen]
    : ['python3', ...['14', '13', '12', '11', '10'].map(minor => `python3.${minor}`), 'python'];
  /** @type {string[]} */
  const tooOld = [];
  for (const candidate of candidates) {
    const version = await versionOf(candidate);
    if (version === undefined) continue;
    if (isEnough(version, minimum)) return candidate;
    tooOld.push(`${candidate} is ${version.join('.')}`);
  }
  const found = tooOld.length > 0 ? tooOld.join(', ') : `${candidates[0]} was not found`;
  throw new SetupFailure(
    `${what} needs Python ${minimum.join('.')} or newer, but ${found}: install Python from https://www.python.org ` +
      `or name one with STRIDELAB_PYTHON=/path/to/python3.`
  );
}

/** Returns why `.venv` cannot be created; called before the first download. @returns {Promise<string | undefined>} */
export async function whyNoPython() {
  try {
    const python = await findPython(MINIMUM, 'JupyterLab 4.6');
    const { status } = await capture(python, ['-c', 'import ensurepip, venv']);
    if (status === 0) return undefined;
    return `JupyterLab is installed into a virtual environment, but ${python} lacks the module venv or ensurepip: install them (on Debian and Ubuntu: apt-get install python3-venv).`;
  } catch (error) {
    if (error instanceof SetupFailure) return error.message;
    throw error;
  }
}

/**
 * Creates a virtual environment with the packages that a lock pins, unless it is there.
 * @param {object} environment
 * @param {string} environment.name of the step
 * @param {string} environment.doing
 * @param {string} environment.folder
 * @param {string} environment.from the lock
 * @param {readonly number[]} environment.minimum version of Python
 * @param {string} environment.what needs that version
 */
async function ensureEnvironment({ name, doing, folder, from, minimum, what }) {
  const program = pythonOf(folder);
  await refresh({
    name,
    doing,
    hash: fingerprint([from], [process.env['STRIDELAB_PYTHON'] ?? '']),
    results: [program],
    work: async progress => {
      const python = await findPython(minimum, what);
      rmSync(folder, { recursive: true, force: true });
      await runStep(`${name}-venv`, python, ['-m', 'venv', folder], {
        fix: 'install the venv module of this Python (on Debian and Ubuntu: apt-get install python3-venv).'
      });
      const fix = 'check the connection to the Python package index, and the disk space.';
      await pipInstall(name, program, from, progress, fix);
    }
  });
}

/** Creates the private environment `.venv` with JupyterLab; python/requirements.lock pins every version and hash. */
export async function ensurePython() {
  await ensureEnvironment({
    name: 'python',
    doing: 'creating .venv with JupyterLab',
    folder: paths.venv,
    from: lock,
    minimum: MINIMUM,
    what: 'JupyterLab 4.6'
  });
  // JupyterLab runs a CommonJS yarn.js in .venv: Node must not read its module type from this checkout's package.json.
  const manifest = join(paths.venv, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, '{}\n');
}

/**
 * Adds pinned packages to `.venv`. A new `.venv` has none of them.
 * @param {{ name: string, what: string, from: string, program: string }} tools `program`: a program that they install
 */
async function addToVenv({ name, what, from, program }) {
  await refresh({
    name,
    doing: `adding ${what} to .venv`,
    hash: fingerprint([lock, from], [process.env['STRIDELAB_PYTHON'] ?? '']),
    results: [join(paths.venvPrograms, program)],
    work: progress => pipInstall(name, paths.python, from, progress)
  });
}

/** Installs CMake and Ninja, for a machine without them. */
export const ensureBuildTools = () =>
  addToVenv({ name: 'build-tools', what: 'CMake and Ninja', from: buildToolsLock, program: 'ninja' });

/** Installs the test suites and clients that the tests run with the kernel. */
export const ensureTestTools = () =>
  addToVenv({
    name: 'test-tools',
    what: 'the clients that tests use',
    from: testToolsLock,
    program: 'papermill'
  });

/** Installs Ruff and mypy. */
export const ensureCheckTools = () =>
  addToVenv({ name: 'check-tools', what: 'Ruff and mypy', from: checkToolsLock, program: 'mypy' });

/** Installs clang-format and clang-tidy (50 MB). */
export const ensureNativeTools = () =>
  addToVenv({
    name: 'native-tools',
    what: 'clang-format and clang-tidy',
    from: nativeToolsLock,
    program: 'clang-tidy'
  });

/** Installs the cross compiler for the addons (400 MB), and what makes and checks wheels. */
export const ensurePackageTools = () =>
  addToVenv({
    name: 'package-tools',
    what: 'a cross compiler and the tools for wheels',
    from: packageToolsLock,
    program: 'twine'
  });

/** Installs the libraries of the exchange tests in `.venv-exchange`: PyTorch with CUDA takes 5 of its 7 GB. */
export const ensureExchangeLibraries = () =>
  ensureEnvironment({
    name: 'exchange-libraries',
    doing: 'creating .venv-exchange with PyTorch, JAX, Numba, numba-cuda-mlir, PyArrow and TVM FFI (7 GB)',
    folder: paths.exchangeVenv,
    from: exchangeLock,
    minimum: EXCHANGE_MINIMUM,
    what: 'The exchange environment'
  });

/**
 * Installs another frontend into an environment below `build/frontends`; python/frontends/NAME.lock pins every version and hash.
 * @param {string} name
 * @returns {Promise<string>} the environment's folder
 */
export async function ensureFrontend(name) {
  const folder = join(paths.build, 'frontends', name);
  await ensureEnvironment({
    name: `frontend-${name}`,
    doing: `installing the frontend "${name}" into build/frontends`,
    folder,
    from: join(paths.companion, 'frontends', `${name}.lock`),
    minimum: MINIMUM,
    what: `The frontend "${name}"`
  });
  return folder;
}
