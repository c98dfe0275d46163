/** Checks Jupyter and its Python, with one query to the Python that runs Jupyter. */

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { environmentPython, searchedDataFolders } from '../jupyter/data-folders.ts';
import { onPath } from '../kit/node-runtime.ts';
import { commandName, packageFiles, packageVersion, repair } from '../kit/package-files.ts';
import { findings, type Check, type Checks } from './check.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 30_000;

/** Script for Python that prints one line of JSON. */
const QUESTION = `
import json, sys, sysconfig
from importlib import metadata
def version(name):
    try: return metadata.version(name)
    except Exception: return None
def paths():
    try:
        from jupyter_core.paths import jupyter_path
        return jupyter_path()
    except Exception: return None
names = ["jupyter_core", "jupyter_client", "jupyterlab", "notebook", "jupyterlab_widgets", "nbclient", "papermill", "stridelab"]
shared = sysconfig.get_config_var("INSTSONAME") if sysconfig.get_config_var("Py_ENABLE_SHARED") else None
print(json.dumps({"version": sys.version.split()[0], "executable": sys.executable, "prefix": sys.prefix, "paths": paths(),
  "library": shared, "libraryFolder": sysconfig.get_config_var("LIBDIR"), "versions": {n: version(n) for n in names}}))
`;

const { ok, warn, fail } = findings('Jupyter');
const aboutPython = findings('Python');
export interface PythonAnswer {
  readonly version: string;
  readonly executable: string;
  readonly prefix: string;
  /** Jupyter's data folders; null without jupyter_core. */
  readonly paths: readonly string[] | null;
  /** File name of libpython; null if Python is statically linked. */
  readonly library: string | null;
  readonly libraryFolder: string | null;
  readonly versions: Readonly<Record<string, string | null>>;
}

/** Returns the interpreter of a script, from its first line. */
function interpreterOf(script: string): string | undefined {
  const [, interpreter] =
    /^#!\s*(\S*python[\d.]*)\s*$/.exec(readFileSync(script, 'utf8').split('\n')[0]!) ?? [];
  return interpreter;
}

/** Queries the Python in STRIDELAB_PYTHON, else that of `jupyter` or `python3`, else that of `npm start`; undefined if none runs. */
export async function askPython(): Promise<PythonAnswer | undefined> {
  const [command] = onPath('jupyter');
  const named = process.env['STRIDELAB_PYTHON'];
  if (named !== undefined && named !== '') return ask(named);
  const found = await ask((command && interpreterOf(command)) ?? environmentPython());
  if (found !== undefined && found.paths !== null) return found;
  return (await ask(packageFiles.venvPython)) ?? found;
}

async function ask(python: string): Promise<PythonAnswer | undefined> {
  try {
    const { stdout } = await run(python, ['-c', QUESTION], { timeout: TIMEOUT_MS });
    return JSON.parse(stdout) as PythonAnswer;
  } catch {
    return undefined;
  }
}

/** Returns the folders in which the Jupyter of this Python looks for kernels and extensions, in its order. */
export function dataFoldersOf(python: PythonAnswer | undefined): readonly string[] {
  return python?.paths ?? searchedDataFolders();
}

const major = (version: string): number => Number(/^\d+/.exec(version)?.[0]);

export function checkJupyter(python: PythonAnswer | undefined): Checks {
  if (python === undefined || python.paths === null) {
    const where = python === undefined ? 'no Python was found' : `${python.executable} has no Jupyter`;
    return [fail(where, 'install it: pip install jupyterlab jupyterlab_widgets')];
  }
  const { versions } = python;
  const clients = ['notebook', 'nbclient', 'papermill', 'jupyter_client']
    .filter(name => versions[name] !== null)
    .map(name => `${name} ${versions[name]}`);
  const extension = dataFoldersOf(python)
    .map(folder => join(folder, 'labextensions', 'stridelab', 'package.json'))
    .find(file => existsSync(file));
  return [
    ok(`in ${python.prefix}: ${clients.join(', ')}`),
    ok(`looks for kernels in ${python.paths.join(', ')}`),
    checkLab(versions['jupyterlab'] ?? null),
    versions['jupyterlab_widgets'] === null
      ? warn('the widget manager is not installed: live widgets stay empty', 'pip install jupyterlab_widgets')
      : ok(`widget manager ${versions['jupyterlab_widgets']}`),
    checkExtension(extension)
  ];
}

function checkLab(version: string | null): Check {
  if (version === null)
    return warn('JupyterLab is not installed', 'pip install jupyterlab, unless you use another client');
  if (major(version) < 4)
    return fail(`JupyterLab ${version} is too old`, 'pip install -U jupyterlab (4 or newer)');
  return ok(`JupyterLab ${version}`);
}

function checkExtension(file: string | undefined): Check {
  const fix = `${repair}, then ${commandName} install`;
  if (file === undefined) return warn('the extension is not installed: arrays show as text', fix);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version?: string };
  return version === packageVersion()
    ? ok(`extension ${version} at ${file}`)
    : warn(`the extension at ${file} is version ${version}, the kernel ${packageVersion()}`, fix);
}

export function checkPython(python: PythonAnswer | undefined): Checks {
  if (python === undefined)
    return [aboutPython.warn('not found', 'install Python 3.10 or newer to run JupyterLab')];
  const { library, libraryFolder } = python;
  const file = library !== null && libraryFolder !== null ? join(libraryFolder, library) : undefined;
  const shared = file !== undefined && existsSync(file) ? `shared library ${file}` : 'no shared libpython';
  return [aboutPython.ok(`${python.version} at ${python.executable}, ${shared}`)];
}
