/** Examines Python interpreters by running them, instead of guessing from names of libraries. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { refusalOf } from './refusal.ts';

/** A Python interpreter of this machine. */
export interface PythonInstallation {
  /** The path of the interpreter; in a virtual environment, that environment's. */
  readonly executable: string;
  /** The version, for example `3.11.2`. */
  readonly version: string;
  /** The folder of the environment (`sys.prefix`). */
  readonly prefix: string;
  /** The folder of the installation under the environment (`sys.base_prefix`). */
  readonly basePrefix: string;
  /** Whether this is a free-threaded build, without the GIL. */
  readonly freeThreaded: boolean;
  /** The path of libpython; null if this Python has no shared library. */
  readonly library: string | null;
  /** Why this Python cannot run in this process, and what to do; null if it can. */
  readonly obstacle: string | null;
}

/** An interpreter that could not be examined. */
export interface PythonRefusal {
  /** The path of the interpreter. */
  readonly executable: string;
  /** What went wrong. */
  readonly obstacle: string;
}

const LEAST = [3, 9] as const;
const ANSWER_WITHIN_MS = 10_000;
const PROBE = `
import json, sys, sysconfig
get = sysconfig.get_config_var
print(json.dumps({
  "executable": sys.executable, "version": ".".join(map(str, sys.version_info[:3])), "implementation": sys.implementation.name,
  "prefix": sys.prefix, "basePrefix": sys.base_prefix, "bits": sys.maxsize.bit_length() + 1,
  "freeThreaded": bool(get("Py_GIL_DISABLED")), "libraryFolder": get("LIBDIR"), "name": get("LDVERSION"),
  "libraryFile": get("INSTSONAME"), "multiarch": get("MULTIARCH")}))
`;

interface Answer extends Omit<PythonInstallation, 'library' | 'obstacle'> {
  readonly implementation: string;
  readonly bits: number;
  readonly libraryFolder: string | null;
  readonly name: string | null;
  readonly libraryFile: string | null;
  readonly multiarch: string | null;
}

/** Examines an interpreter, which takes about 20 ms. */
export function examinePython(executable: string): PythonInstallation | PythonRefusal {
  const asked = spawnSync(executable, ['-I', '-c', PROBE], {
    encoding: 'utf8',
    timeout: ANSWER_WITHIN_MS,
    stdio: ['ignore', 'pipe', 'pipe']
  });
  if (asked.error !== undefined || asked.status !== 0)
    return { executable, obstacle: refusalOf(executable, asked, LEAST.join('.')) };
  let answer: Answer;
  try {
    answer = JSON.parse(asked.stdout) as Answer;
  } catch {
    return {
      executable,
      obstacle: `${executable} is not a Python interpreter: it printed ${JSON.stringify(asked.stdout.slice(0, 80))}`
    };
  }
  const library = libraryOf(answer);
  const { version, prefix, basePrefix, freeThreaded } = answer;
  const obstacle = obstacleOf(executable, answer, library);
  // The path may be a shim, so the interpreter reports its own.
  const own = answer.executable || executable;
  return { executable: own, version, prefix, basePrefix, freeThreaded, library, obstacle };
}

/** Returns the shared library. INSTSONAME is not reliable: conda names the static library and ships the shared one. */
function libraryOf({ name, libraryFile, libraryFolder, basePrefix, multiarch }: Answer): string | null {
  const files = [libraryFile, `libpython${name}.so.1.0`, `libpython${name}.so`].filter(
    file => file?.includes('.so') === true
  ) as string[];
  const folders = [libraryFolder, join(basePrefix, 'lib')];
  // Debian keeps libraries in a folder named after the architecture.
  if (multiarch !== null && multiarch !== '') folders.push(join(basePrefix, 'lib', multiarch));
  for (const folder of new Set(folders)) {
    const found = folder === null ? undefined : files.map(file => join(folder, file)).find(existsSync);
    if (found !== undefined) return found;
  }
  return null;
}

export function tooOld({ executable, version }: { executable: string; version: string }): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const recent = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  return recent ? null : `${executable} (Python ${version}) is older than ${LEAST.join('.')}`;
}

function obstacleOf(executable: string, answer: Answer, library: string | null): string | null {
  const what = `${executable} (Python ${answer.version})`;
  if (answer.implementation !== 'cpython')
    return `${executable} is ${answer.implementation}: only CPython can run inside this process`;
  const old = tooOld({ executable, version: answer.version });
  if (old !== null) return old;
  if (answer.bits !== 64) return `${what} has ${answer.bits} bits, but this process has 64`;
  if (answer.freeThreaded)
    return `${what} is a free-threaded build, whose extension modules are incompatible: use the regular build of this version`;
  if (library !== null) return obstacleOfHome(what, answer);
  return (
    `${what} has no shared library libpython${answer.name}.so in ${join(answer.basePrefix, 'lib')}: install it ` +
    `(Debian: apt-get install libpython${shortOf(answer.version)}; pyenv: PYTHON_CONFIGURE_OPTS=--enable-shared pyenv install ${answer.version}), or use another Python`
  );
}

/** Returns `3.11` for `3.11.2`. */
function shortOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

/** Checks PYTHONHOME: a start in this process uses it, and fails half-way if it is wrong. */
function obstacleOfHome(what: string, { basePrefix, version }: Answer): string | null {
  const home = process.env['PYTHONHOME'];
  if (home === undefined || home === '') return null;
  const modules = join('lib', `python${shortOf(version)}`, 'os.py');
  const [prefix = ''] = home.split(delimiter);
  if (existsSync(join(prefix, modules))) return null;
  return `${what} would look for its modules in PYTHONHOME, ${home}, where there is no ${modules}: unset it, or set it to ${basePrefix}`;
}

/** Returns true if `executable` names the installed Python: an environment may have several names for it. */
export function isNameOf(executable: string, installed: PythonInstallation): boolean {
  if (executable === installed.executable) return true;
  const found = examinePython(executable);
  return 'library' in found && found.library === installed.library && found.prefix === installed.prefix;
}
