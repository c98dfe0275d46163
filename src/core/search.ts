/**
 * Candidate locations of NVIDIA's libraries: a variable of this library, the Python environment in use (pip's `nvidia` wheels,
 * conda), a CUDA toolkit, the loader's search path. Lists of files to try, in order; nothing is opened here.
 */

import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

export interface LibraryNames {
  /** The environment variable that names the only file to try. */
  readonly variable: string;
  /** File names, newest first: `libnvrtc.so.13`. */
  readonly files: readonly string[];
  /** Folders of pip's wheels below `site-packages/nvidia` that hold the file. */
  readonly wheels: readonly string[];
}

export const NVRTC: LibraryNames = {
  variable: 'STRIDELAB_LIBNVRTC',
  files: ['libnvrtc.so.13', 'libnvrtc.so.12', 'libnvrtc.so.11.2', 'libnvrtc.so'],
  wheels: ['cu13/lib', 'cuda_nvrtc/lib']
};

export const CUBLAS_LT: LibraryNames = {
  variable: 'STRIDELAB_LIBCUBLASLT',
  files: ['libcublasLt.so.13', 'libcublasLt.so.12', 'libcublasLt.so'],
  wheels: ['cu13/lib', 'cublas/lib']
};

export const NCCL: LibraryNames = {
  variable: 'STRIDELAB_LIBNCCL',
  files: ['libnccl.so.2'],
  wheels: ['nccl/lib']
};

/** Returns the prefixes of Python environments in use, most specific first. */
function pythonPrefixes(): string[] {
  const prefixes = [process.env['VIRTUAL_ENV'], process.env['CONDA_PREFIX']];
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder !== '' && existsSync(join(folder, 'python3'))) prefixes.push(join(folder, '..'));
  }
  // Debian's pip installs for all users below /usr/local, and `pip install --user` below the home folder.
  prefixes.push('/usr/local', join(homedir(), '.local'));
  const named = prefixes.filter((prefix): prefix is string => prefix !== undefined && prefix !== '');
  return [...new Set(named)];
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // the folder does not exist or is not readable
  }
}

/** Returns the `site-packages` of an environment: one for each version of Python in it. */
function sitePackages(prefix: string): string[] {
  const lib = join(prefix, 'lib');
  const versions = entriesOf(lib).filter(name => /^python3(\.\d+)?$/.test(name));
  return versions.flatMap(version =>
    ['site-packages', 'dist-packages'].map(name => join(lib, version, name))
  );
}

/** Returns the `nvidia` folders in which pip installs CUDA components. */
export function nvidiaWheels(): readonly string[] {
  return pythonPrefixes()
    .flatMap(sitePackages)
    .map(folder => join(folder, 'nvidia'))
    .filter(folder => existsSync(folder));
}

/** Returns CUDA toolkits: those named by variables, then those in the usual location, newest first. */
export function toolkits(): readonly string[] {
  const named = ['CUDA_HOME', 'CUDA_PATH'].map(name => process.env[name] ?? '');
  const usual = entriesOf('/usr/local')
    .filter(name => /^cuda(-\d|$)/.test(name))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map(name => join('/usr/local', name));
  return [...new Set([...named, '/usr/local/cuda', ...usual])].filter(
    folder => folder !== '' && existsSync(folder)
  );
}

/** The toolkit's subfolder for this architecture. */
const TARGET = process.arch === 'arm64' ? 'targets/sbsa-linux' : 'targets/x86_64-linux';

const isNamed = (variable: string): boolean => (process.env[variable] ?? '') !== '';

/** Describes, for an error message, the places that were searched besides the loader's path. */
export function placesSearched({ variable }: LibraryNames): string {
  if (isNamed(variable)) return `${variable} names the only file that is tried.`;
  const wheels = nvidiaWheels();
  const roots = toolkits();
  const python = wheels.length > 0 ? wheels.join(', ') : "none in this environment's Python";
  return `NVIDIA's wheels: ${python}. CUDA toolkits: ${roots.length > 0 ? roots.join(', ') : 'none in CUDA_HOME, CUDA_PATH or /usr/local'}.`;
}

/** Returns the files to try: existing ones with their path, then bare names for the loader to find. */
export function candidates(names: LibraryNames): string[] {
  if (isNamed(names.variable)) return [process.env[names.variable] as string];
  const folders = [
    ...nvidiaWheels().flatMap(root => names.wheels.map(wheel => join(root, wheel))),
    ...toolkits().flatMap(root => [join(root, 'lib64'), join(root, TARGET, 'lib')]),
    ...pythonPrefixes().map(prefix => join(prefix, 'lib'))
  ];
  const existing = folders.flatMap(folder =>
    names.files.map(file => join(folder, file)).filter(path => existsSync(path))
  );
  return [...new Set(existing), ...names.files];
}

/** Returns folders with CUDA's headers, for `#include <cuda_fp16.h>`. */
export function includeFolders(): string[] {
  const wheels = nvidiaWheels().flatMap(root =>
    ['cu13/include', 'cuda_runtime/include'].map(name => join(root, name))
  );
  const headers = [...wheels, ...toolkits().map(root => join(root, 'include'))];
  return headers.filter(folder => existsSync(join(folder, 'cuda_fp16.h'))).slice(0, 1);
}
